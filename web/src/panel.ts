// One view on the screen: the picture of a field with axes, legend, contours and sensors.

import { colors, css, type Scale } from "./colormap";
import { contours } from "./contours";
import { h, say } from "./dom";
import type { Field, Lattice } from "./field";
import { frameOf, type Frame } from "./frame";
import { gridOf, latticeOf } from "./lattices";
import { drawMarks } from "./marks";
import { readsField } from "./model";
import { format, roomForName, ticks } from "./numbers";
import { paint } from "./painter";
import type { State } from "./store";
import type { View } from "./views";

const HINT = "Drag a sensor · double click adds one · click for profiles";
/** Pixels along a side of the bitmap; the screen's own smoothing does the rest. */
const BITMAP = 640;

export class Panel {
  readonly canvas = h("canvas", { tabIndex: 0, role: "application" });
  private readonly head = h("div", { className: "panel-head" });
  private readonly title = h("h2", {});
  private readonly figure = h("p", { className: "figure" });
  private readonly readout = h("p", { className: "readout" });
  readonly root: HTMLElement;
  frame: Frame = frameOf(300, 300, null, true);
  lattice: Lattice | null = null;
  private bitmap = document.createElement("canvas");
  private painted: { field: Field; scale: Scale } | null = null;
  private lines: { field: Field; levels: string; paths: Path2D } | null = null;

  constructor(readonly view: View) {
    say(this.title, view.title);
    this.tell("");
    this.title.title = view.text;
    this.canvas.dataset.view = view.name;
    this.head.append(this.title, this.figure, this.readout);
    this.root = h("section", { className: "panel", "aria-label": view.title }, this.head, h("div", { className: "canvas-box" }, this.canvas));
  }

  /** What is under the pointer, in words; without one, what can be done. */
  tell(text: string): void {
    say(this.readout, text || (this.view.name === "forecast" ? HINT : ""));
  }

  draw(state: State): void {
    const box = this.canvas.parentElement!;
    const [width, height] = [box.clientWidth, box.clientHeight];
    if (width === 0 || height === 0 || !state.model) return;
    const ratio = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    }
    const context = this.canvas.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const field = this.view.field(state);
    const style = getComputedStyle(this.root);
    this.lattice = field?.lattice ?? latticeOf(state.model, gridOf(state.model, 2), state.s, 2);
    this.frame = frameOf(width, height, this.lattice, state.model.dimension === 2);
    this.canvas.dataset.picture = JSON.stringify({ ...this.frame.picture, lower: this.lattice.lower, upper: this.lattice.upper });
    this.head.style.paddingLeft = `${this.frame.picture.left}px`;
    this.root.classList.toggle("waiting", field === null);
    say(this.figure, field ? this.view.figure(state, field) : "");
    this.canvas.setAttribute("aria-label", this.words(state, field));
    if (!field) return this.drawNothing(context, state, style);
    const scale = this.view.scale(state, field);
    this.drawField(context, field, scale);
    this.drawAxes(context, state, field.lattice, style);
    const marks = this.drawLegend(context, state, scale, style);
    if (state.contours) this.drawContours(context, field, marks);
    drawMarks(context, state, this.frame, field.lattice, this.view.showsValues && readsField(state.model) ? scale : null, style.getPropertyValue("--accent-bright"));
  }

  /** The empty domain, where sensors can be put. */
  private drawNothing(context: CanvasRenderingContext2D, state: State, style: CSSStyleDeclaration): void {
    const { left, top, width, height } = this.frame.picture;
    context.fillStyle = style.getPropertyValue("--hover");
    context.beginPath();
    context.roundRect(left, top, width, height, 6);
    context.fill();
    this.drawAxes(context, state, this.lattice!, style);
    drawMarks(context, state, this.frame, this.lattice!, null, style.getPropertyValue("--accent-bright"));
  }

  private drawField(context: CanvasRenderingContext2D, field: Field, scale: Scale): void {
    const { left, top, width, height } = this.frame.picture;
    const shrink = Math.min(1, BITMAP / Math.max(width, height));
    const size = [Math.round(width * shrink), Math.round(height * shrink)];
    const same = this.painted?.field === field && JSON.stringify(this.painted.scale) === JSON.stringify(scale);
    if (!same || this.bitmap.width !== size[0] || this.bitmap.height !== size[1]) {
      [this.bitmap.width, this.bitmap.height] = size;
      const image = new ImageData(size[0], size[1]);
      paint(field, scale, image);
      this.bitmap.getContext("2d")!.putImageData(image, 0, 0);
      this.painted = { field, scale };
    }
    context.save();
    context.beginPath();
    context.roundRect(left, top, width, height, 6);
    context.clip();
    context.imageSmoothingQuality = "high";
    context.drawImage(this.bitmap, left, top, width, height);
    context.restore();
  }

  private drawContours(context: CanvasRenderingContext2D, field: Field, levels: number[]): void {
    const { left, top, width, height } = this.frame.picture;
    const key = JSON.stringify([levels, left, top, width, height]);
    if (this.lines?.field !== field || this.lines.levels !== key) {
      const paths = new Path2D();
      const ends = contours(field, levels);
      for (let k = 0; k < ends.length; k += 4) {
        paths.moveTo(left + ends[k] * width, top + (1 - ends[k + 1]) * height);
        paths.lineTo(left + ends[k + 2] * width, top + (1 - ends[k + 3]) * height);
      }
      this.lines = { field, levels: key, paths };
    }
    for (const [w, color] of [[2.5, "rgb(0 0 0 / 0.28)"], [1, "rgb(255 255 255 / 0.85)"]] as const) {
      context.lineWidth = w;
      context.strokeStyle = color;
      context.stroke(this.lines.paths);
    }
  }

  private drawAxes(context: CanvasRenderingContext2D, { model }: State, lattice: Lattice, style: CSSStyleDeclaration): void {
    const { left, top, width, height } = this.frame.picture;
    const names = model!.dimension === 1 ? [model!.axes[0], "t"] : model!.axes;
    context.fillStyle = style.getPropertyValue("--soft");
    context.font = `11px ${style.fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "top";
    const [x0, x1, y0, y1] = [lattice.lower[0], lattice.upper[0], lattice.lower[1], lattice.upper[1]];
    const [across, upwards] = [ticks(x0, x1, width / 90), ticks(y0, y1, height / 90)];
    for (const { at, text } of across) context.fillText(text, left + ((at - x0) / (x1 - x0)) * width, top + height + 7);
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const { at, text } of upwards) context.fillText(text, left - 8, top + (1 - (at - y0) / (y1 - y0)) * height);
    context.font = `italic 12px ${style.fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "top";
    context.fillText(names[0], left + ((roomForName(across, x0, x1) - x0) / (x1 - x0)) * width, top + height + 6);
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(names[1], left - 8, top + (1 - (roomForName(upwards, y0, y1) - y0) / (y1 - y0)) * height);
  }

  /** Draws the legend and returns the values that it marks. */
  private drawLegend(context: CanvasRenderingContext2D, { model, channel }: State, scale: Scale, style: CSSStyleDeclaration): number[] {
    const { left, top, width, height, upright } = this.frame.legend;
    const gradient = upright ? context.createLinearGradient(0, top + height, 0, top) : context.createLinearGradient(left, 0, left + width, 0);
    const table = colors(scale.map);
    for (let k = 0; k <= 32; k++) gradient.addColorStop(k / 32, css(table[Math.round((k / 32) * (table.length - 1))]));
    context.fillStyle = gradient;
    context.beginPath();
    context.roundRect(left, top, width, height, 5);
    context.fill();
    context.fillStyle = style.getPropertyValue("--soft");
    context.font = `11px ${style.fontFamily}`;
    context.textAlign = upright ? "left" : "center";
    context.textBaseline = upright ? "middle" : "top";
    const marks = ticks(scale.lower, scale.upper, (upright ? height : width) / 55);
    for (const { at, text } of marks) {
      const share = (at - scale.lower) / (scale.upper - scale.lower);
      const inset = (share: number, length: number) => Math.min(Math.max(share * length, 6), length - 6);
      if (upright) context.fillText(text, left + width + 6, top + height - inset(share, height));
      else context.fillText(text, left + inset(share, width), top + height + 5);
    }
    const unit = model!.channels[channel]?.unit;
    if (unit && upright) context.fillText(unit, left + width + 6, top - 1 + height + 14);
    return marks.map(({ at }) => at);
  }

  private words(state: State, field: Field | null): string {
    if (!field) return `${this.view.title}: nothing to show yet`;
    const { map: _, lower, upper } = this.view.scale(state, field);
    const channel = state.model!.channels[state.channel]?.name ?? "";
    const when = state.model!.times && state.model!.dimension === 2 && this.view.name !== "bound" ? ` at time ${format(state.t)}` : "";
    return `${this.view.title} of ${channel}${when}, colors from ${format(lower)} to ${format(upper)}, ${state.sensors.length} sensors. Arrow keys move the selected sensor.`;
  }
}
