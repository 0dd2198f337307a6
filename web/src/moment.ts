// The state of a one-dimensional twin at the shown time, as a curve; the sensors on it can be moved and set.

import type { Actions } from "./actions";
import { colorOf, css } from "./colormap";
import { h } from "./dom";
import { nodes, valuesAt, type Field } from "./field";
import { radiusOf } from "./marks";
import { drawPlot, type Curve, type PlotScale } from "./plot";
import { reading } from "./sensors";
import type { State, Store } from "./store";
import { forecastScale } from "./views";

export class Moment {
  readonly root = h("section", { className: "line-plot", "aria-label": "The state at the shown time", hidden: true });
  private readonly box = h("div", { className: "plot-box" });
  private readonly legend = h("p", { className: "keys" });
  private scale: PlotScale | null = null;
  private dragged: number | null = null;

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
  ) {
    this.root.append(this.legend, this.box);
    store.subscribe((state) => this.show(state));
    this.box.addEventListener("pointerdown", (event) => this.take(event));
    this.box.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) this.box.addEventListener(end, () => this.release());
    new ResizeObserver(() => this.show(store.state)).observe(this.box);
  }

  private show(state: State): void {
    const { model, forecast, truth, channel, t, s, sensors, selected, start } = state;
    this.root.hidden = model?.dimension !== 1;
    if (!model || model.dimension !== 1 || !forecast || this.box.clientWidth === 0) return;
    const at = (field: Field): ArrayLike<number> => valuesAt(field, nodes(field.lattice, 0), [model.times ? t : 0]);
    const curve = (field: Field, name: string): Curve => ({ x: nodes(field.lattice, 0), y: at(field), name });
    const field = forecast.fields[channel];
    const [lower, upper] = [forecast.lower?.[channel], forecast.upper?.[channel]];
    const range = forecastScale(state);
    const bands = lower && upper ? [{ x: nodes(field.lattice, 0), lower: at(lower), upper: at(upper) }] : [];
    const curves: Curve[] = [];
    const first = start?.[channel];
    if (first && t > s) curves.push({ x: nodes(first.lattice, 0), y: valuesAt(first, nodes(first.lattice, 0), [first.lattice.lower[1]]), name: "start" });
    if (truth) curves.push(curve(truth.fields[channel], "truth"));
    curves.push(curve(field, "forecast"));
    const radius = radiusOf(4 * sensors.length);
    const dots = sensors.map((one) => {
      const said = reading(model, one)[channel] ?? one.values[0];
      const names = [one.silent && "silent", one.id === selected && "chosen", (one.origin === "guess" || one.origin === "carried") && "invented"];
      return { x: one.place[0], y: said, id: one.id, name: names.filter(Boolean).join(" "), fill: one.silent ? "none" : css(colorOf(range, said)), radius };
    });
    const { drawing, scale } = drawPlot({
      width: this.box.clientWidth, height: this.box.clientHeight, label: "The state at the shown time, with the sensors at the time they read",
      xName: model.axes[0], xRange: [model.domain.lower[0], model.domain.upper[0]], yRange: [range.lower, range.upper], curves, bands, dots,
      right: this.box.clientWidth > 560 ? 72 : 10,
    });
    this.scale = scale;
    this.box.replaceChildren(drawing);
    const shown: [string, string][] = [["forecast", "forecast at t"], ...(t > s ? [["start", "state at s"] as [string, string]] : []), ...(truth ? [["truth", "truth at t"] as [string, string]] : [])];
    this.legend.replaceChildren(...shown.map(([name, text]) => h("span", { className: `key ${name}` }, text)));
  }

  private pixel(event: PointerEvent): [number, number] {
    const box = this.box.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private take(event: PointerEvent): void {
    const dot = (event.target as Element).closest<SVGElement>("[data-id]");
    if (!dot) return;
    event.preventDefault();
    this.dragged = Number(dot.dataset.id);
    this.box.setPointerCapture(event.pointerId);
    this.actions.select(this.dragged);
  }

  /** Sideways a dot moves its sensor; up and down it sets what the sensor reads, unless that is the truth. */
  private drag(event: PointerEvent): void {
    if (this.dragged === null || !this.scale) return;
    const { rule, channel } = this.store.state;
    const [x, y] = this.pixel(event);
    this.actions.begin("sensor");
    this.actions.move(this.dragged, [this.scale.x(x)]);
    if (rule !== "truth") this.actions.setValue(this.dragged, channel, Number(this.scale.y(y).toPrecision(4)));
  }

  private release(): void {
    if (this.dragged !== null) this.actions.rest();
    this.dragged = null;
  }
}
