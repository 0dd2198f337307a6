// Profiles through the probe: a cut along an axis, and the values over time there.

import { card, h, say } from "./dom";
import { nodes, valueAt, valuesAt, type Field } from "./field";
import { format } from "./numbers";
import { drawPlot, type Curve } from "./plot";
import type { State, Store } from "./store";
import { forecastScale } from "./views";

export class Profile {
  readonly root: HTMLDetailsElement;
  private readonly hint = h("p", { className: "hint" }, "Click anywhere in a picture to cut through it there.");
  private readonly place = h("p", { className: "probe", "aria-live": "polite" });
  private readonly cut = h("div", { className: "plot-box" });
  private readonly course = h("div", { className: "plot-box" });
  private readonly along = h("div", { className: "choice", role: "radiogroup", "aria-label": "Direction of the cut" });
  private axis = 0;

  constructor(private readonly store: Store) {
    this.root = card("Profiles", true, this.hint, this.place, this.along, this.cut, this.course);
    store.subscribe((state, changed) => this.show(state, changed));
    this.root.addEventListener("toggle", () => this.show(store.state, new Set(["model", "probe"])));
  }

  private show(state: State, changed: Set<keyof State>): void {
    const { model, probe, forecast } = state;
    if (changed.has("model") && model) this.offerAxes(model.axes);
    const relevant = ["probe", "forecast", "truth", "series", "truthSeries", "t", "channel", "model"] as const;
    if (!relevant.some((key) => changed.has(key))) return;
    const shown = probe !== null && forecast !== null && model !== null;
    this.hint.hidden = shown;
    for (const part of [this.place, this.along, this.cut, this.course]) part.hidden = !shown;
    if (!shown || !this.root.open) return;
    this.along.hidden = model.dimension === 1;
    this.cut.hidden = model.dimension === 1;
    const field = forecast.fields[state.channel];
    const at: [number, number] = model.dimension === 1 ? [probe[0], state.t] : [probe[0], probe[1]];
    const value = format(valueAt(field, at[0], at[1]), 4);
    const unit = model.channels[state.channel]?.unit ?? "";
    say(this.place, `${probe.map((x, d) => `${model.axes[d]} = ${format(x)}`).join(", ")}: ${value} ${unit}`);
    if (model.dimension === 2) this.drawCut(state, field, at);
    this.drawCourse(state, field, at);
  }

  private offerAxes(axes: string[]): void {
    this.axis = 0;
    this.along.replaceChildren(...axes.map((name, d) => {
      const button = h("button", { type: "button", role: "radio", "aria-checked": String(d === this.axis) }, `along ${name}`);
      button.addEventListener("click", () => {
        this.axis = d;
        for (const other of this.along.children) other.setAttribute("aria-checked", String(other === button));
        this.show(this.store.state, new Set(["probe"]));
      });
      return button;
    }));
  }

  private drawCut(state: State, field: Field, at: [number, number]): void {
    const d = this.axis;
    const line = ({ lattice }: Field, values: Field): Curve["y"] =>
      d === 0 ? valuesAt(values, nodes(lattice, 0), [at[1]]) : valuesAt(values, [at[0]], nodes(lattice, 1));
    const { channel, forecast, truth, model } = state;
    const curve = (values: Field, name: string): Curve => ({ x: nodes(values.lattice, d), y: line(values, values), name });
    const [lower, upper] = [forecast!.lower?.[channel], forecast!.upper?.[channel]];
    const scale = forecastScale(state);
    const { drawing } = drawPlot({
      ...this.size(this.cut), label: `Values along ${model!.axes[d]} through the probe`, xName: model!.axes[d],
      xRange: [field.lattice.lower[d], field.lattice.upper[d]], yRange: [scale.lower, scale.upper], mark: at[d],
      curves: [...(truth ? [curve(truth.fields[channel], "truth")] : []), curve(field, "forecast")],
      bands: lower && upper ? [{ x: nodes(lower.lattice, d), lower: line(lower, lower), upper: line(upper, upper) }] : [],
    });
    this.cut.replaceChildren(drawing);
  }

  private drawCourse(state: State, field: Field, at: [number, number]): void {
    const { model, series, truthSeries, truth, channel, t, s, forecast } = state;
    const times = model!.times;
    this.course.hidden = !times || (model!.dimension === 2 && !series);
    if (this.course.hidden || !times) return;
    const over = (values: Field, name: string): Curve => ({ x: nodes(values.lattice, 1), y: valuesAt(values, [at[0]], nodes(values.lattice, 1)), name });
    const flat = model!.dimension === 1;
    const known = flat ? truth && over(truth.fields[channel], "truth") : truthSeries && { x: truthSeries.times, y: truthSeries.values[channel], name: "truth" };
    const curve = flat ? over(field, "forecast") : { x: series!.times, y: series!.values[channel], name: "forecast" };
    const ends = flat
      ? forecast!.lower && forecast!.upper && [over(forecast!.lower[channel], ""), over(forecast!.upper[channel], "")].map(({ y }) => y)
      : series!.lower && series!.upper && [series!.lower[channel], series!.upper[channel]];
    const { drawing } = drawPlot({
      ...this.size(this.course), label: "Values over time at the probe", xName: "t", xRange: [s, times.end], yRange: [curve.y[0], curve.y[0]], mark: t,
      curves: [...(known ? [known] : []), curve],
      bands: ends ? [{ x: curve.x, lower: ends[0], upper: ends[1] }] : [],
    });
    this.course.replaceChildren(drawing);
  }

  private size(box: HTMLElement): { width: number; height: number } {
    return { width: Math.max(box.clientWidth, 200), height: 150 };
  }
}
