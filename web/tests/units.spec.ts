// What the page computes itself, against closed forms.

import { expect, test } from "@playwright/test";
import { colors, scaleOf, SEQUENTIAL, toLab } from "../src/colormap";
import { contours } from "../src/contours";
import { readSensors } from "../src/csv";
import { curvature, nodes, relativeError, resample, valueAt, type Field, type Lattice } from "../src/field";
import { inside, type Model } from "../src/model";
import { format, ticks } from "../src/numbers";
import { Store } from "../src/store";

const lattice = (n: number, periodic: boolean): Lattice => ({ size: [n, n + 3], lower: [0, -1], upper: [1, 1], periodic: [periodic, periodic] });
const sampled = (lattice: Lattice, f: (x: number, y: number) => number): Field => {
  const [xs, ys] = [nodes(lattice, 0), nodes(lattice, 1)];
  return { lattice, values: Float32Array.from(xs.flatMap((x) => ys.map((y) => f(x, y)))) };
};

test("color maps have even steps, and sequential ones grow lighter", () => {
  for (const name of [...SEQUENTIAL.map(({ name }) => name), "polar"] as const) {
    const table = colors(name).map(toLab);
    // Over stretches of sixteen colors rounding to eight bits does not matter.
    const steps = Array.from({ length: 15 }, (_, k) => {
      let length = 0;
      for (let i = 16 * k; i < 16 * k + 16; i++) length += Math.hypot(...table[i].map((v, c) => v - table[i + 1][c]));
      return length;
    });
    expect(Math.max(...steps) / Math.min(...steps), name).toBeLessThan(1.25);
    const lightness = table.map(([l]) => l);
    if (name === "polar") expect(Math.max(...lightness)).toBe(Math.max(...lightness.slice(118, 138)));
    else for (let k = 16; k < 256; k += 16) expect(lightness[k], name).toBeGreaterThan(lightness[k - 16]);
  }
});

test("signed ranges get a symmetric diverging scale, others their own", () => {
  expect(scaleOf([-1, 3], "lagoon")).toEqual({ map: "polar", lower: -3, upper: 3 });
  expect(scaleOf([-0.1, 3], "lagoon")).toEqual({ map: "lagoon", lower: -0.1, upper: 3 });
  expect(scaleOf([2, 2], "ember")).toEqual({ map: "ember", lower: 1, upper: 3 });
});

test("interpolation is exact at nodes and for quadratics, and third order on periodic waves", () => {
  const quadratic = (x: number, y: number) => 1 + x - 2 * y + x * y + 3 * x * x - y * y;
  const field = sampled(lattice(12, false), quadratic);
  expect(valueAt(field, 0.37, 0.21)).toBeCloseTo(quadratic(0.37, 0.21), 5);
  const wave = (x: number, y: number) => Math.sin(2 * Math.PI * x) * Math.cos(Math.PI * y);
  const error = (n: number) => Math.abs(valueAt(sampled(lattice(n, true), wave), 0.999, 0.03) - wave(0.999, 0.03));
  expect(error(16)).toBeLessThan(3e-3);
  expect(error(64)).toBeLessThan(error(16) / 8);
  const finer = resample(sampled(lattice(24, true), wave), lattice(60, true));
  expect(relativeError(finer, sampled(lattice(60, true), wave))).toBeLessThan(2e-3);
});

test("the curvature is the largest second derivative", () => {
  const wave = (x: number, y: number) => Math.sin(2 * Math.PI * x) + 0.1 * Math.cos(Math.PI * y);
  expect(curvature(sampled(lattice(128, true), wave), 2) / (4 * Math.PI ** 2)).toBeCloseTo(1, 2);
});

test("contours of a cone are circles, and saddles do not cross", () => {
  const square: Lattice = { size: [81, 81], lower: [-1, -1], upper: [1, 1], periodic: [false, false] };
  const ends = contours(sampled(square, (x, y) => Math.hypot(x, y)), [0.6]);
  expect(ends.length).toBeGreaterThan(400);
  let length = 0;
  for (let k = 0; k < ends.length; k += 4) {
    length += 2 * Math.hypot(ends[k] - ends[k + 2], ends[k + 1] - ends[k + 3]);
    expect(Math.abs(Math.hypot(2 * ends[k] - 1, 2 * ends[k + 1] - 1) - 0.6)).toBeLessThan(2e-3);
  }
  expect(length).toBeCloseTo(2 * Math.PI * 0.6, 2);
  // xy = 0.002: the two branches stay in their quadrants.
  const saddle = contours(sampled(square, (x, y) => x * y), [0.002]);
  for (let k = 0; k < saddle.length; k += 4) {
    const [x0, y0, x1, y1] = [0, 1, 2, 3].map((i) => 2 * saddle[k + i] - 1);
    expect(Math.sign(x0 + y0)).toBe(Math.sign(x1 + y1));
  }
});

const model = {
  name: "m", dimension: 2, axes: ["x", "y"], channels: [{ name: "u" }], source_channels: 1, times: { start: 0, end: 1, native_interval: null },
  domain: { lower: [0, 0], upper: [1, 2], periodic: [true, false] }, range: { mean: [0], deviation: [1] },
} as unknown as Model;

test("places are wrapped on periodic axes and clamped on others", () => {
  expect(inside(model, [1.25, 3])).toEqual([0.25, 2]);
  expect(inside(model, [-0.25, -3])).toEqual([0.75, 0]);
  expect(inside(model, [1, 1])).toEqual([0, 1]);
});

test("sensors are read from any order of columns, separators and times", () => {
  const { rows, errors } = readSensors("\uFEFFU;time;Y;X\r\n1.5;0;1;1.25\r\n2;1;1;0.5\r\n", model, 0);
  expect(errors).toEqual([]);
  expect(rows).toEqual([{ place: [0.25, 1], values: [1.5] }]);
  expect(readSensors("x,y,u\n0,2.5,0\n", model, 0).errors).toEqual([{ line: 2, text: "y = 2.5 is outside the domain, 0 to 2." }]);
  expect(readSensors("\n\n", model, 0).errors[0].text).toContain("empty");
  expect(readSensors("x,y,u,t\n0,1,0,0.5\n", model, 0).errors[0].text).toContain("No row has t = 0");
});

test("numbers are short, ticks round", () => {
  expect([0.12345, -2, 1e-7, 123456, 1e7, NaN].map((value) => format(value))).toEqual(["0.123", "−2", "1e-7", "123000", "1e7", "–"]);
  expect(ticks(0, 1, 5).map(({ text }) => text)).toEqual(["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  expect(ticks(-0.5, 0.5, 4).map(({ at }) => at)).toEqual([-0.5, 0, 0.5]);
});

test("the store counts what changes the forecast, and only that", () => {
  (globalThis as { requestAnimationFrame?: unknown }).requestAnimationFrame = () => 1;
  const store = new Store();
  store.set({ t: 3 });
  expect(store.state.revision).toBe(0);
  store.set({ sensors: [] });
  store.set({ s: 1 });
  expect(store.state.revision).toBe(2);
});
