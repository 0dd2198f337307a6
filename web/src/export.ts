// The shown field as a file: picture, table, NumPy arrays, VTK image data.

import { save } from "./dom";
import { nodes } from "./field";
import { npz, type NamedArray } from "./npz";
import type { Panel } from "./panel";
import type { State } from "./store";
import { vti } from "./vti";

export interface Exporter {
  suffix: string;
  title: string;
  run(state: State, panels: Panel[]): void;
}

/** A name that says what is in the file. */
function nameOf({ model, t }: State, suffix: string): string {
  const when = model!.times && model!.dimension === 2 ? `_t${t}` : "";
  return `${model!.name}${when}.${suffix}`;
}

/** The times of the forecast and its values `[time, channel, axis 0, …]`, as `lto predict` has them. */
function arraysOf({ model, forecast }: State): NamedArray[] {
  const { fields, t } = forecast!;
  const { lattice } = fields[0];
  const [nx, ny] = lattice.size;
  const flat = model!.dimension === 1;
  const times = flat ? (model!.times ? nodes(lattice, 1) : []) : t === null ? [] : [t];
  const values = flat
    ? Float64Array.from({ length: Math.max(times.length, 1) * fields.length * nx }, (_, k) => {
        const [time, c, i] = [Math.floor(k / (fields.length * nx)), Math.floor(k / nx) % fields.length, k % nx];
        return fields[c].values[i * ny + time];
      })
    : Float64Array.from(fields.flatMap((field) => [...field.values]));
  const axes = model!.axes.map((name, d) => ({ name, shape: [lattice.size[d]], values: nodes(lattice, d) }));
  const shape = [...(times.length > 0 ? [times.length] : []), fields.length, nx, ...(flat ? [] : [ny])];
  const channels = { name: "channels", shape: [fields.length], values: model!.channels.map(({ name }) => name) };
  return [...(times.length > 0 ? [{ name: "times", shape: [times.length], values: times }] : []), channels, ...axes, { name: "values", shape, values }];
}

/** One line for each time and point: t, the coordinates, the channels. */
export function tableOf(state: State): string {
  const { model, forecast } = state;
  const { fields, t } = forecast!;
  const { lattice } = fields[0];
  const [xs, ys] = [nodes(lattice, 0), nodes(lattice, 1)];
  const flat = model!.dimension === 1;
  const timed = model!.times !== null;
  const lines = [[...(timed ? ["t"] : []), ...model!.axes, ...model!.channels.map(({ name }) => name)].join(",")];
  const row = (time: number | null, place: number[], k: number) => lines.push([...(time === null ? [] : [time]), ...place, ...fields.map((field) => field.values[k])].join(","));
  if (flat) ys.slice(0, timed ? ys.length : 1).forEach((time, j) => xs.forEach((x, i) => row(timed ? time : null, [x], i * ys.length + j)));
  else xs.forEach((x, i) => ys.forEach((y, j) => row(t, [x, y], i * ys.length + j)));
  return `${lines.join("\n")}\n`;
}

/** All panels side by side, on the color of the page. */
function picture(state: State, panels: Panel[]): void {
  const canvases = panels.map(({ canvas }) => canvas);
  const sheet = document.createElement("canvas");
  const head = 34 * (devicePixelRatio || 1);
  [sheet.width, sheet.height] = [canvases.reduce((sum, one) => sum + one.width, 0), Math.max(...canvases.map((one) => one.height)) + head];
  const context = sheet.getContext("2d")!;
  const style = getComputedStyle(document.documentElement);
  context.fillStyle = style.getPropertyValue("--paper");
  context.fillRect(0, 0, sheet.width, sheet.height);
  let left = 0;
  panels.forEach((panel) => {
    context.fillStyle = style.getPropertyValue("--ink");
    context.font = `600 ${head * 0.45}px ${getComputedStyle(document.body).fontFamily}`;
    const when = state.model!.times && state.model!.dimension === 2 ? `, t = ${Number(state.t.toPrecision(4))}` : "";
    context.fillText(`${panel.view.title}${when}`, left + head * 0.5, head * 0.7);
    context.drawImage(panel.canvas, left, head);
    left += panel.canvas.width;
  });
  sheet.toBlob((blob) => blob && save(nameOf(state, "png"), blob, "image/png"), "image/png");
}

export const EXPORTERS: Exporter[] = [
  { suffix: "png", title: "The picture as it is shown", run: picture },
  { suffix: "csv", title: "One line for each point", run: (state) => save(nameOf(state, "csv"), tableOf(state), "text/csv") },
  { suffix: "npz", title: "NumPy arrays, as lto predict writes them", run: (state) => save(nameOf(state, "npz"), npz(arraysOf(state)), "application/zip") },
  {
    suffix: "vti",
    title: "VTK image data, for ParaView",
    run(state) {
      const { model, forecast } = state;
      const fields = forecast!.fields.map((field, c) => ({ name: model!.channels[c].name, field }));
      // Over one axis and time, time is the second axis of the image.
      save(nameOf(state, "vti"), vti(fields, 2, forecast!.t), "application/xml");
    },
  },
];
