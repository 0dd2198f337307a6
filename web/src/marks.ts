// Sensors, the probe and the suggested place, drawn over a picture.

import { colorOf, css, type Scale } from "./colormap";
import type { Lattice } from "./field";
import { pixelAt, type Frame } from "./frame";
import { reading, type Sensor } from "./sensors";
import type { State } from "./store";

const DARK = "rgb(12 16 22 / 0.75)";
const WHITE = "#ffffff";

/** Radius of a sensor in pixels: smaller the more there are, and in small pictures. */
export function radiusOf(count: number, width = 400): number {
  return Math.max(2, 6.5 * Math.min(1, Math.sqrt(80 / count)) * Math.min(1, Math.sqrt(width / 400)));
}

/** Where a sensor is drawn: in one dimension at the time it reads. */
export function spotOf({ model, s }: State, place: number[]): [number, number] {
  return model?.dimension === 1 ? [place[0], s] : [place[0], place[1]];
}

export function drawMarks(context: CanvasRenderingContext2D, state: State, frame: Frame, lattice: Lattice, scale: Scale | null, accent: string): void {
  const { sensors, selected, design, advice, probe, model, t } = state;
  const radius = radiusOf(sensors.length, frame.picture.width);
  const at = (place: number[]) => pixelAt(frame, lattice, spotOf(state, place));
  if (model?.dimension === 1) {
    const [, y] = pixelAt(frame, lattice, [lattice.lower[0], t]);
    line(context, frame.picture.left, y, frame.picture.left + frame.picture.width, y);
  }
  if (probe) crosshair(context, pixelAt(frame, lattice, model?.dimension === 1 ? [probe[0], t] : [probe[0], probe[1]]));
  for (const one of sensors) if (one.id !== selected) drawSensor(context, state, one, at(one.place), radius, scale);
  const told = advice ? design : null;
  const most = told && sensors.find((one) => one.id === told.ids[told.told.most[0]?.sensor]);
  if (most) ring(context, at(most.place), radius + 5, accent);
  if (told) for (const place of told.told.places) suggestion(context, at(place), accent);
  const chosen = sensors.find((one) => one.id === selected);
  if (chosen) {
    ring(context, at(chosen.place), radius + 4.5, WHITE);
    drawSensor(context, state, chosen, at(chosen.place), radius + 1.5, scale);
  }
}

/** A disk in the color of what the sensor says, where colors mean values; a broken rim if nobody measured that. */
function drawSensor(context: CanvasRenderingContext2D, { model, channel }: State, one: Sensor, [x, y]: [number, number], radius: number, scale: Scale | null): void {
  const said = model ? reading(model, one) : one.values;
  const circle = (r: number) => {
    context.beginPath();
    context.arc(x, y, r, 0, 2 * Math.PI);
  };
  circle(radius);
  context.fillStyle = one.silent ? "rgb(128 134 144 / 0.35)" : scale ? css(colorOf(scale, said[channel] ?? said[0])) : DARK;
  context.fill();
  const rim = Math.max(1, radius * 0.32);
  context.lineWidth = rim + 2;
  context.strokeStyle = DARK;
  context.stroke();
  context.lineWidth = rim;
  context.strokeStyle = one.silent ? "rgb(255 255 255 / 0.55)" : WHITE;
  const invented = one.origin === "guess" || one.origin === "carried";
  context.setLineDash(invented ? [radius * 0.55, radius * 0.5] : []);
  context.stroke();
  context.setLineDash([]);
  if (one.noise > 0 && !one.silent) {
    circle(radius + 3.5);
    context.lineWidth = 1;
    context.strokeStyle = "rgb(255 255 255 / 0.8)";
    context.setLineDash([1, 2.5]);
    context.stroke();
    context.setLineDash([]);
  }
  if (one.silent) {
    const reach = radius * 0.72;
    line(context, x - reach, y + reach, x + reach, y - reach, 1.5);
  }
}

function ring(context: CanvasRenderingContext2D, [x, y]: [number, number], radius: number, color: string): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.lineWidth = 4.5;
  context.strokeStyle = DARK;
  context.stroke();
  context.lineWidth = 2.5;
  context.strokeStyle = color;
  context.stroke();
}

/** A place for the next sensor: a plus in a broken ring. */
function suggestion(context: CanvasRenderingContext2D, [x, y]: [number, number], color: string): void {
  for (const [width, style] of [[4.5, DARK], [2, color]] as const) {
    context.lineWidth = width;
    context.strokeStyle = style;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.arc(x, y, 11, 0, 2 * Math.PI);
    context.stroke();
    context.setLineDash([]);
    context.beginPath();
    context.moveTo(x - 4.5, y);
    context.lineTo(x + 4.5, y);
    context.moveTo(x, y - 4.5);
    context.lineTo(x, y + 4.5);
    context.stroke();
  }
}

function crosshair(context: CanvasRenderingContext2D, [x, y]: [number, number]): void {
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) line(context, x + 4 * dx, y + 4 * dy, x + 13 * dx, y + 13 * dy, 1.5);
}

function line(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number, width = 1.5): void {
  for (const [w, style] of [[width + 2, DARK], [width, WHITE]] as const) {
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.lineWidth = w;
    context.strokeStyle = style;
    context.stroke();
  }
}
