// A field as pixels: cubic interpolation between its nodes, then a color for each value.

import { colors, type Scale } from "./colormap";
import { stencil, type Field } from "./field";

/** The color of values that are not numbers. */
const MISSING = 0xffbebebe;

/** Pixels of a field: x to the right, y upwards. */
export function paint(field: Field, scale: Scale, image: ImageData): void {
  const { width, height } = image;
  const { lower, upper, size } = field.lattice;
  const ny = size[1];
  const across = (d: number, n: number) => (k: number) => lower[d] + ((k + 0.5) / n) * (upper[d] - lower[d]);
  const columns = stencil(field.lattice, 0, Float64Array.from({ length: width }, (_, k) => across(0, width)(k)));
  const rows = stencil(field.lattice, 1, Float64Array.from({ length: height }, (_, k) => across(1, height)(height - 1 - k)));

  // First along x for every row of nodes, then along y for every pixel.
  const lines = new Float32Array(ny * width);
  for (let k = 0; k < width; k++) {
    const [i0, i1, i2, i3] = [0, 1, 2, 3].map((q) => columns.index[4 * k + q] * ny);
    const [w0, w1, w2, w3] = columns.weight.subarray(4 * k, 4 * k + 4);
    for (let j = 0; j < ny; j++) {
      const v = field.values;
      lines[j * width + k] = w0 * v[i0 + j] + w1 * v[i1 + j] + w2 * v[i2 + j] + w3 * v[i3 + j];
    }
  }
  const palette = Uint32Array.from(colors(scale.map), ([r, g, b]) => 0xff000000 | (b << 16) | (g << 8) | r);
  const last = palette.length - 1;
  const factor = last / (scale.upper - scale.lower);
  const offset = 0.5 - scale.lower * factor;
  const pixels = new Uint32Array(image.data.buffer);
  for (let p = 0; p < height; p++) {
    const [j0, j1, j2, j3] = [0, 1, 2, 3].map((q) => rows.index[4 * p + q] * width);
    const [w0, w1, w2, w3] = rows.weight.subarray(4 * p, 4 * p + 4);
    for (let k = 0; k < width; k++) {
      const value = w0 * lines[j0 + k] + w1 * lines[j1 + k] + w2 * lines[j2 + k] + w3 * lines[j3 + k];
      const at = value * factor + offset;
      pixels[p * width + k] = at >= 0 ? palette[at < last ? at | 0 : last] : at < 0 ? palette[0] : MISSING;
    }
  }
}
