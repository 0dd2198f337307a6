// Values on a lattice of two axes, and what lies between its nodes.

export interface Lattice {
  /** Nodes along each axis. */
  size: [number, number];
  lower: [number, number];
  upper: [number, number];
  periodic: [boolean, boolean];
}

/** One number a node: `values[i * size[1] + j]` belongs to node i of axis 0 and j of axis 1. */
export interface Field {
  lattice: Lattice;
  values: Float32Array;
}

/** The distance of neighbors along an axis; a periodic axis ends one spacing before its upper bound. */
export function spacing({ size, lower, upper, periodic }: Lattice, axis: number): number {
  return (upper[axis] - lower[axis]) / (periodic[axis] ? size[axis] : Math.max(size[axis] - 1, 1));
}

/** The coordinates of the nodes along an axis. */
export function nodes(lattice: Lattice, axis: number): number[] {
  const step = spacing(lattice, axis);
  return Array.from({ length: lattice.size[axis] }, (_, i) => lattice.lower[axis] + i * step);
}

/** Cubic interpolation along one axis: for each coordinate four nodes and their weights. */
export interface Stencil {
  index: Int32Array;
  weight: Float32Array;
}

/** Catmull–Rom weights: exact at nodes, with continuous slopes; at an end without neighbor the last node repeats. */
export function stencil(lattice: Lattice, axis: number, coordinates: ArrayLike<number>): Stencil {
  const n = lattice.size[axis];
  const step = spacing(lattice, axis);
  const index = new Int32Array(4 * coordinates.length);
  const weight = new Float32Array(4 * coordinates.length);
  for (let k = 0; k < coordinates.length; k++) {
    const at = (coordinates[k] - lattice.lower[axis]) / step;
    const base = lattice.periodic[axis] ? Math.floor(at) : Math.min(Math.max(Math.floor(at), 0), Math.max(n - 2, 0));
    const u = at - base;
    const weights = [
      ((2 - u) * u - 1) * u * 0.5,
      ((3 * u - 5) * u * u + 2) * 0.5,
      ((4 - 3 * u) * u + 1) * u * 0.5,
      (u - 1) * u * u * 0.5,
    ];
    for (let q = 0; q < 4; q++) {
      const i = base + q - 1;
      index[4 * k + q] = lattice.periodic[axis] ? ((i % n) + n) % n : Math.min(Math.max(i, 0), n - 1);
      weight[4 * k + q] = weights[q];
    }
  }
  return { index, weight };
}

/** The value at a place. */
export function valueAt(field: Field, x: number, y: number): number {
  const [a, b] = [stencil(field.lattice, 0, [x]), stencil(field.lattice, 1, [y])];
  let sum = 0;
  for (let p = 0; p < 4; p++) {
    for (let q = 0; q < 4; q++) {
      sum += a.weight[p] * b.weight[q] * field.values[a.index[p] * field.lattice.size[1] + b.index[q]];
    }
  }
  return sum;
}

/** The values at all pairs of coordinates: `[x.length, y.length]`, the second axis fastest. */
export function valuesAt(field: Field, x: ArrayLike<number>, y: ArrayLike<number>): Float32Array {
  const ny = field.lattice.size[1];
  const [a, b] = [stencil(field.lattice, 0, x), stencil(field.lattice, 1, y)];
  const row = new Float32Array(ny);
  const out = new Float32Array(x.length * y.length);
  for (let i = 0; i < x.length; i++) {
    for (let j = 0; j < ny; j++) {
      let sum = 0;
      for (let p = 4 * i; p < 4 * i + 4; p++) sum += a.weight[p] * field.values[a.index[p] * ny + j];
      row[j] = sum;
    }
    for (let k = 0; k < y.length; k++) {
      let sum = 0;
      for (let q = 4 * k; q < 4 * k + 4; q++) sum += b.weight[q] * row[b.index[q]];
      out[i * y.length + k] = sum;
    }
  }
  return out;
}

/** The field on another lattice. */
export function resample(field: Field, lattice: Lattice): Field {
  if (sameLattice(field.lattice, lattice)) return field;
  return { lattice, values: valuesAt(field, nodes(lattice, 0), nodes(lattice, 1)) };
}

function sameLattice(a: Lattice, b: Lattice): boolean {
  const same = (d: number) => a.size[d] === b.size[d] && a.lower[d] === b.lower[d] && a.upper[d] === b.upper[d];
  return same(0) && same(1);
}

/** The nodes' values combined one by one; both fields on the lattice of the first. */
export function combine(a: Field, b: Field, rule: (a: number, b: number) => number): Field {
  const other = resample(b, a.lattice).values;
  return { lattice: a.lattice, values: a.values.map((value, k) => rule(value, other[k])) };
}

/** Smallest and largest finite value. */
export function extent(values: ArrayLike<number>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let k = 0; k < values.length; k++) {
    const value = values[k];
    if (value < low) low = value;
    if (value > high && value < Infinity) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/** ‖a − b‖₂ / ‖b‖₂ over the nodes of a. */
export function relativeError(a: Field, b: Field): number {
  const other = resample(b, a.lattice).values;
  let [difference, norm] = [0, 0];
  for (let k = 0; k < other.length; k++) {
    difference += (a.values[k] - other[k]) ** 2;
    norm += other[k] ** 2;
  }
  return Math.sqrt(difference / norm);
}

/** The largest second difference along the first `axes` axes: an estimate of the largest second derivative. */
export function curvature(field: Field, axes: number): number {
  const [nx, ny] = field.lattice.size;
  let largest = 0;
  for (let d = 0; d < axes; d++) {
    const [n, stride] = d === 0 ? [nx, ny] : [ny, 1];
    const h2 = spacing(field.lattice, d) ** 2;
    const ends = field.lattice.periodic[d] ? 0 : 1;
    for (let line = 0; line < (d === 0 ? ny : nx); line++) {
      const at = (i: number) => field.values[((i + n) % n) * stride + line * (d === 0 ? 1 : ny)];
      for (let i = ends; i < n - ends; i++) {
        largest = Math.max(largest, Math.abs(at(i - 1) - 2 * at(i) + at(i + 1)) / h2);
      }
    }
  }
  return largest;
}
