// The panels side by side, and which of them are shown.

import type { Actions } from "./actions";
import { SEQUENTIAL, type MapName } from "./colormap";
import { h } from "./dom";
import { listen } from "./gestures";
import type { Moment } from "./moment";
import { Panel } from "./panel";
import { available, type State, type Store, type ViewName } from "./store";
import { VIEWS } from "./views";

export class Stage {
  readonly root: HTMLElement;
  readonly tools = h("div", { className: "tools", role: "toolbar", "aria-label": "Views" });
  private readonly grid = h("div", { className: "panels" });
  private readonly empty = h("p", { className: "empty", hidden: true });
  private panels: Panel[] = [];

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    moment: Moment,
  ) {
    this.root = h("div", { className: "stage" }, moment.root, this.grid, this.empty);
    store.subscribe((state, changed) => this.show(state, changed));
    new ResizeObserver(() => this.draw()).observe(this.grid);
  }

  get shown(): Panel[] {
    return this.panels;
  }

  /** Draws again, for instance in other colors. */
  draw(): void {
    for (const panel of this.panels) panel.draw(this.store.state);
  }

  private show(state: State, changed: Set<keyof State>): void {
    const { model, views, sensors, forecast, problems } = state;
    if (!model) return;
    if (["model", "views", "contours", "map", "momentary", "channel"].some((key) => changed.has(key as keyof State))) this.offer(state);
    if (changed.has("views") || changed.has("model")) this.arrange(views);
    const problem = problems.encode ?? problems.forecast;
    const silent = sensors.every((one) => one.silent);
    this.empty.hidden = !silent && (forecast !== null || !problem) && !problem;
    this.empty.textContent = problem ?? (sensors.length === 0 ? "No sensors yet. Double click in the picture, press A, or drop a CSV file." : silent ? "All sensors are silenced." : "");
    this.root.classList.toggle("flat", model.dimension === 1);
    this.draw();
  }

  private arrange(views: ViewName[]): void {
    const ordered = VIEWS.filter(({ name }) => views.includes(name));
    const kept = new Map(this.panels.map((panel) => [panel.view.name, panel]));
    this.panels = ordered.map((view) => {
      const panel = kept.get(view.name) ?? new Panel(view);
      if (!kept.has(view.name)) listen(panel, this.store, this.actions);
      return panel;
    });
    this.grid.replaceChildren(...this.panels.map(({ root }) => root));
    this.grid.dataset.count = String(this.panels.length);
  }

  private offer(state: State): void {
    const { model, views, contours, channel, map, momentary } = state;
    const focused = document.activeElement?.id;
    const toggles = VIEWS.filter(({ name }) => available(name, model!)).map(({ name, title, text }) => {
      const on = views.includes(name);
      const flip = () => {
        const next = on ? views.filter((other) => other !== name) : [...views, name];
        if (next.length > 0) this.store.set({ views: next });
      };
      return h("button", { type: "button", id: `view-${name}`, className: "chip", title: text, "aria-pressed": String(on), onclick: flip }, title);
    });
    const lines = h("button", { type: "button", id: "contours", className: "chip", "aria-pressed": String(contours), title: "Lines at the values marked in the legend (C)", onclick: () => this.store.set({ contours: !contours }) }, "Contours");
    const moment = h("button", { type: "button", id: "momentary", className: "chip", "aria-pressed": String(momentary), title: "Colors span the shown moment only, instead of the whole course", onclick: () => this.store.set({ momentary: !momentary }) }, "Fit colors");
    const choose = (id: string, label: string, options: [string, string][], value: string, act: (value: string) => void) => {
      const select = h("select", { id, "aria-label": label, onchange: () => act(select.value) }, ...options.map(([name, title]) => h("option", { value: name, selected: name === value }, title)));
      return select;
    };
    const channels = model!.channels.length > 1 ? choose("channel", "Channel", model!.channels.map(({ name }, c) => [String(c), name]), String(channel), (c) => this.store.set({ channel: Number(c) })) : null;
    const maps = choose("map", "Color map", SEQUENTIAL.map(({ name, title }) => [name, title]), map, (name) => this.store.set({ map: name as MapName }));
    this.tools.replaceChildren(...toggles, h("span", { className: "gap" }), ...(channels ? [channels] : []), lines, moment, maps);
    if (focused) document.getElementById(focused)?.focus();
  }
}
