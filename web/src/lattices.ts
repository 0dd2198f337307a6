// The lattices on which the page asks for fields, and answers as fields on them.

import type { Field, Lattice } from "./field";
import type { Model } from "./model";
import { between } from "./numbers";

/** Nodes along the longest axis at rest, and the numbers among which a gesture chooses by speed. */
export const FINE = 128;
export const COARSE = [24, 32, 48, 64, 96, 128];

/** Points along each axis of the domain, `n` along the longest one; twice as many for one axis. */
export function gridOf(model: Model, n: number): number[] {
  const { lower, upper } = model.domain;
  if (model.dimension === 1) return [2 * n];
  const lengths = upper.map((end, d) => end - lower[d]);
  const longest = Math.max(...lengths);
  return lengths.map((length) => Math.max(Math.round((n * length) / longest), 16));
}

/** Times of a space–time picture: whole native intervals if enough of them lead to the end, since models that go there by steps take each of them once. */
export function timesOf(model: Model, s: number, n: number): number[] {
  if (!model.times) return [];
  const { end, native_interval: interval } = model.times;
  const most = Math.round(0.75 * n);
  const steps = interval ? Math.round((end - s) / interval) : 0;
  const fits = (parts: number) => steps % parts === 0 && Math.abs(s + steps * interval! - end) < 1e-6 * (end - s);
  let parts = Math.min(steps, most);
  while (3 * parts >= most && !fits(parts)) parts--;
  return between(s, end, 1 + (3 * parts >= most ? parts : most));
}

/** The lattice of a grid over a domain of two axes; over one axis and time, from s to the end, otherwise. */
export function latticeOf(model: Model, grid: number[], s: number, times: number): Lattice {
  const { lower, upper, periodic } = model.domain;
  if (model.dimension === 2) {
    return { size: [grid[0], grid[1]], lower: [lower[0], lower[1]], upper: [upper[0], upper[1]], periodic: [periodic[0], periodic[1]] };
  }
  const end = model.times?.end ?? 1;
  return { size: [grid[0], Math.max(times, 2)], lower: [lower[0], model.times ? s : 0], upper: [upper[0], end], periodic: [periodic[0], false] };
}

/** One moment of an answer of shape `[times, channels, nx, ny]`, by channel. */
export function momentOf(lattice: Lattice, values: Float32Array, channels: number, time = 0): Field[] {
  const n = lattice.size[0] * lattice.size[1];
  return Array.from({ length: channels }, (_, c) => {
    const first = (time * channels + c) * n;
    return { lattice, values: values.slice(first, first + n) };
  });
}

/** A whole answer of shape `[times, channels, nx]` as fields over place and time, by channel. */
export function courseOf(lattice: Lattice, values: Float32Array, channels: number): Field[] {
  const [nx, nt] = lattice.size;
  const given = values.length / (channels * nx);
  return Array.from({ length: channels }, (_, c) => {
    const field = new Float32Array(nx * nt);
    for (let i = 0; i < nx; i++) {
      for (let k = 0; k < nt; k++) field[i * nt + k] = values[(Math.min(k, given - 1) * channels + c) * nx + i];
    }
    return { lattice, values: field };
  });
}

/** The first column of fields over place and time, as fields that are constant along the second axis. */
export function firstMoment(fields: Field[]): Field[] {
  return fields.map(({ lattice, values }) => {
    const [nx, nt] = lattice.size;
    const column = new Float32Array(2 * nx);
    for (let i = 0; i < nx; i++) column.fill(values[i * nt], 2 * i, 2 * i + 2);
    return { lattice: { ...lattice, size: [nx, 2] }, values: column };
  });
}
