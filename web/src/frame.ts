// Where things are in a panel: the picture, its axes, its legend; pixels to places and back.

import type { Lattice } from "./field";

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Frame {
  /** The whole panel, in CSS pixels. */
  width: number;
  height: number;
  picture: Box;
  legend: Box & { upright: boolean };
}

const AXIS = { left: 40, bottom: 24, top: 8, right: 10 };
const LEGEND = { right: 62, bottom: 40 };

/** The largest picture of the lattice's proportions that fits, with the legend where there is more room. */
export function frameOf(width: number, height: number, lattice: Lattice | null, square: boolean): Frame {
  const proportion = lattice && square ? (lattice.upper[0] - lattice.lower[0]) / (lattice.upper[1] - lattice.lower[1]) : 0;
  const fit = (right: number, bottom: number): Box => {
    const room = { width: width - AXIS.left - AXIS.right - right, height: height - AXIS.top - AXIS.bottom - bottom };
    // Domains much longer than wide are stretched, as are pictures over time.
    const w = proportion > 0.2 && proportion < 5 ? Math.min(room.width, room.height * proportion) : room.width;
    const h = proportion > 0.2 && proportion < 5 ? w / proportion : room.height;
    const left = AXIS.left + Math.max((room.width - w) / 2, 0);
    return { left: Math.round(left), top: AXIS.top, width: Math.max(Math.round(w), 40), height: Math.max(Math.round(h), 40) };
  };
  const [beside, below] = [fit(LEGEND.right, 0), fit(0, LEGEND.bottom)];
  const upright = beside.width * beside.height >= below.width * below.height;
  const picture = upright ? beside : below;
  const legend = upright
    ? { left: picture.left + picture.width + 16, top: picture.top, width: 10, height: picture.height, upright }
    : { left: picture.left, top: picture.top + picture.height + AXIS.bottom + 8, width: picture.width, height: 10, upright };
  return { width, height, picture, legend };
}

/** The place of a pixel of a panel. */
export function placeAt({ picture }: Frame, { lower, upper }: Lattice, x: number, y: number): [number, number] {
  const [u, v] = [(x - picture.left) / picture.width, 1 - (y - picture.top) / picture.height];
  return [lower[0] + u * (upper[0] - lower[0]), lower[1] + v * (upper[1] - lower[1])];
}

/** The pixel of a place. */
export function pixelAt({ picture }: Frame, { lower, upper }: Lattice, place: [number, number]): [number, number] {
  const [u, v] = [0, 1].map((d) => (place[d] - lower[d]) / (upper[d] - lower[d]));
  return [picture.left + u * picture.width, picture.top + (1 - v) * picture.height];
}

export function holds({ left, top, width, height }: Box, x: number, y: number): boolean {
  return x >= left && x <= left + width && y >= top && y <= top + height;
}
