// Lines of equal value, by marching squares on a resampled field.

import { valuesAt, type Field } from "./field";
import { between } from "./numbers";

/** Squares along each axis. */
const SQUARES = 144;

/** Segments of the level lines as pairs of points in shares of the domain: x0, y0, x1, y1, … */
export function contours(field: Field, level: number): Float32Array {
  const { lower, upper } = field.lattice;
  const n = SQUARES + 1;
  const values = valuesAt(field, between(lower[0], upper[0], n), between(lower[1], upper[1], n));
  const segments: number[] = [];
  for (let i = 0; i < SQUARES; i++) {
    for (let j = 0; j < SQUARES; j++) {
      const corners = [values[i * n + j], values[(i + 1) * n + j], values[(i + 1) * n + j + 1], values[i * n + j + 1]];
      const above = corners.map((v) => v > level);
      if (above.every((v) => v === above[0])) continue;
      // Where the line crosses the edges between corners, counterclockwise from the lower one.
      const crossings: [number, number][] = [];
      for (let e = 0; e < 4; e++) {
        const f = (e + 1) % 4;
        if (above[e] === above[f]) continue;
        const u = (level - corners[e]) / (corners[f] - corners[e]);
        const place = [i + u, i + 1, i + 1 - u, i][e];
        crossings.push([place / SQUARES, [j, j + u, j + 1, j + 1 - u][e] / SQUARES]);
      }
      // Four crossings are a saddle: the mean of the corners says which corners belong together.
      if (crossings.length === 4 && corners.reduce((a, b) => a + b) / 4 > level !== above[0]) crossings.push(crossings.shift()!);
      for (const [x, y] of crossings) segments.push(x, y);
    }
  }
  return Float32Array.from(segments);
}
