// How far to trust the layout: which sensor matters most, where the next should go, and the certificate's assumption.

import type { Actions } from "./actions";
import { card, h, say } from "./dom";
import { assumedCurvature } from "./jobs";
import { format, percent } from "./numbers";
import type { State, Store } from "./store";

export class Trust {
  readonly root: HTMLDetailsElement;
  private readonly most = h("p", {});
  private readonly next = h("p", {});
  private readonly look = h("button", { type: "button", hidden: true }, "Show it");
  private readonly place = h("button", { type: "button", className: "primary", hidden: true }, "Place it");
  private readonly curvature = h("input", { type: "number", min: "0", step: "any", id: "curvature" });
  private readonly assumed = h("p", { className: "hint" });
  private readonly found = h("p", {});
  private readonly bound: HTMLElement;

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
  ) {
    this.look.addEventListener("click", () => {
      const { design } = store.state;
      if (design) actions.select(design.ids[design.told.most[0].sensor]);
    });
    this.place.addEventListener("click", () => this.placeNext());
    this.curvature.addEventListener("change", () => {
      const value = this.curvature.valueAsNumber;
      store.set({ curvature: value > 0 ? value : null });
    });
    const view = h("button", { type: "button", onclick: () => this.toggle() }, "Show certificate");
    view.dataset.part = "view";
    this.bound = h("div", { className: "bound" },
      h("h3", {}, "Certificate"),
      h("p", { className: "hint" }, "A bound of the error between the sensors at time s, for every state no more curved than this:"),
      h("div", { className: "field-row" }, h("label", { for: "curvature" }, "Curvature"), this.curvature, view), this.assumed, this.found);
    this.root = card("Trust", true,
      h("div", { className: "advice" }, this.most, this.look), h("div", { className: "advice" }, this.next, this.place), this.bound);
    this.root.addEventListener("toggle", () => store.set({ advice: this.root.open }));
    store.subscribe((state, changed) => this.show(state, changed));
  }

  /** Where the next sensor should go, if that is known. */
  get suggestion(): number[] | null {
    return this.store.state.design?.told.places[0] ?? null;
  }

  private placeNext(): void {
    if (this.suggestion) this.actions.add(this.suggestion);
  }

  private toggle(): void {
    const { views } = this.store.state;
    this.store.set({ views: views.includes("bound") ? views.filter((view) => view !== "bound") : [...views, "bound"] });
  }

  private show(state: State, changed: Set<keyof State>): void {
    const { model, design, sensors, bounds, problems, views } = state;
    if (!model || !["design", "bounds", "problems", "sensors", "model", "start", "curvature", "views"].some((key) => changed.has(key as keyof State))) return;
    const told = design?.told;
    const first = told?.most[0];
    const number = first && design ? sensors.findIndex((one) => one.id === design.ids[first.sensor]) + 1 : 0;
    const gap = told?.objective === "fill_distance" ? "largest gap" : "largest bound";
    const rise = first && told?.before ? (first.value - told.before) / told.before : 0;
    say(this.most, number > 0 && first ? (rise > 0.005 ? `Sensor ${number} matters most: without it the ${gap} grows by ${percent(rise)}.` : "No single sensor matters: any one may fail.") : (problems.design ?? (sensors.some((one) => !one.silent) ? "Looking at the layout…" : "Without sensors there is nothing to trust.")));
    this.look.hidden = !(number > 0 && rise > 0.005);
    const at = told?.places[0];
    const gain = told?.before ? 1 - told.after / told.before : 0;
    say(this.next, at ? `The next should go to ${at.map((x, d) => `${model.axes[d]} ${format(x)}`).join(", ")}: the ${gap} ${gain > 0.005 ? `shrinks by ${percent(gain)}` : "stays, but less often"}.` : "");
    this.place.hidden = !at;
    const assumed = assumedCurvature(state);
    if (document.activeElement !== this.curvature) this.curvature.value = assumed === null ? "" : String(assumed);
    say(this.assumed, state.curvature === null && assumed !== null ? "Estimated from the forecast at s. Type what you know; empty for the estimate." : "");
    const shown = views.includes("bound");
    say(this.bound.querySelector("[data-part=view]")!, shown ? "Hide certificate" : "Show certificate");
    say(this.found, shown ? (problems.bounds ?? (bounds ? `At most ${format(bounds.told.worst.value)}, on average ${format(bounds.told.mean)}.${bounds.told.remark ? ` ${bounds.told.remark}` : ""}` : "…")) : "");
  }
}
