// Lines of equal value, by marching squares on a resampled field.

import { valuesAt, type Field } from "./field";
import { between } from "./numbers";

/** Squares along each axis. */
const SQUARES = 144;

/** Segments of the lines at some levels as pairs of points in shares of the domain: x0, y0, x1, y1, … */
export function contours(field: Field, levels: number[]): Float32Array {
  const { lower, upper } = field.lattice;
  const n = SQUARES + 1;
  const values = valuesAt(field, between(lower[0], upper[0], n), between(lower[1], upper[1], n));
  const segments: number[] = [];
  for (let i = 0; i < SQUARES; i++) {
    for (let j = 0; j < SQUARES; j++) {
      const k = i * n + j;
      const corners = [values[k], values[k + n], values[k + n + 1], values[k + 1]];
      const [low, high] = [Math.min(...corners), Math.max(...corners)];
      for (const level of levels) if (low <= level && level < high) crossSquare(segments, i, j, corners, level);
    }
  }
  return Float32Array.from(segments);
}

/** Adds the segments within square (i, j); its corners run counterclockwise from the lower left one. */
function crossSquare(segments: number[], i: number, j: number, corners: number[], level: number): void {
  const above = corners.map((value) => value > level);
  // Where the line crosses the edges between corners, counterclockwise from the lower edge.
  const crossings: [number, number][] = [];
  for (let e = 0; e < 4; e++) {
    const f = (e + 1) % 4;
    if (above[e] === above[f]) continue;
    const u = (level - corners[e]) / (corners[f] - corners[e]);
    crossings.push([[i + u, i + 1, i + 1 - u, i][e] / SQUARES, [j, j + u, j + 1, j + 1 - u][e] / SQUARES]);
  }
  // Four crossings are a saddle: the mean of the corners says which corners belong together.
  const mean = (corners[0] + corners[1] + corners[2] + corners[3]) / 4;
  if (crossings.length === 4 && mean > level !== above[0]) crossings.push(crossings.shift()!);
  for (const [x, y] of crossings) segments.push(x, y);
}
