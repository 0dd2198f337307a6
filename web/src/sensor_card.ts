// The sensors in words: the selected one with its reading, silence and noise; all of them in a table.

import type { Actions } from "./actions";
import { card, h, say } from "./dom";
import { readingNames, readsField, type Model } from "./model";
import { format, percent } from "./numbers";
import { deviation, ORIGINS, reading, type MoveRule, type Sensor } from "./sensors";
import type { State, Store } from "./store";

/** Rows of the table; more can be selected on the map. */
const ROWS = 100;
const RULES: { rule: MoveRule; title: string; text: string }[] = [
  { rule: "truth", title: "reads the truth", text: "the true state of the example, wherever it stands" },
  { rule: "guess", title: "asks the others", text: "what the other sensors imply there, marked as a guess until you type a value" },
  { rule: "carry", title: "keeps its reading", text: "what it read before, marked as such" },
];

export class SensorCard {
  readonly root: HTMLDetailsElement;
  private readonly count = h("p", { className: "count" });
  private readonly chosen = h("div", { className: "chosen" });
  private readonly rules = h("fieldset", { className: "rules" });
  private readonly table = h("details", { className: "all" });
  private readonly noise: HTMLInputElement;
  /** What the editor shows, so that typing in it is not disturbed. */
  private shown = "";

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    live: HTMLElement,
    add: () => void,
    load: () => void,
    keep: () => void,
  ) {
    const button = (text: string, title: string, act: () => void) => h("button", { type: "button", title, onclick: act }, text);
    const buttons = h("div", { className: "buttons" },
      button("Add", "A new sensor: at the probe, else where the next should go (A). Or double click on the map.", add),
      button("Load…", "Your own sensors: columns named after the axes and channels. Or drop a file anywhere.", load),
      button("Save", "These sensors as a file for lto predict", keep),
      button("Example", "The sensors that the model came with", () => actions.example()));
    this.noise = h("input", { type: "range", min: "0", max: "0.5", step: "0.01", id: "noise-all", value: "0" });
    this.noise.addEventListener("input", () => actions.setNoise(Number(this.noise.value)));
    const all = h("div", { className: "field-row" }, h("label", { for: "noise-all" }, "Noise of all"), this.noise,
      h("button", { type: "button", className: "quiet", title: "New random numbers", onclick: () => actions.redraw() }, "redraw"));
    this.root = card("Sensors", true, this.count, buttons, live, this.chosen, this.rules, all, this.table);
    this.table.addEventListener("toggle", () => this.showTable(store.state));
    store.subscribe((state, changed) => this.show(state, changed));
  }

  /** Puts the cursor into the reading of the selected sensor. */
  edit(): void {
    // A sensor that was selected in this frame has no input yet.
    this.store.tell();
    this.chosen.querySelector("input")?.select();
  }

  private show(state: State, changed: Set<keyof State>): void {
    const { model, sensors, selected } = state;
    if (!model) return;
    if (changed.has("model") || changed.has("rule")) this.showRules(model, state.rule);
    if (!["sensors", "selected", "model", "design"].some((key) => changed.has(key as keyof State))) return;
    const silent = sensors.filter((one) => one.silent).length;
    const guessed = sensors.filter((one) => one.origin === "guess" || one.origin === "carried").length;
    const parts = [`${sensors.length} ${sensors.length === 1 ? "sensor" : "sensors"}`, silent > 0 && `${silent} silenced`, guessed > 0 && `${guessed} not measured where they stand`];
    say(this.count, parts.filter(Boolean).join(" · "));
    this.showChosen(state, sensors.find((one) => one.id === selected) ?? null);
    if (!state.gesture) this.showTable(state);
  }

  private showRules(model: Model, rule: MoveRule): void {
    const offered = RULES.filter(({ rule }) => rule === "carry" || (readsField(model) && (rule === "guess" || model.truth)));
    this.rules.hidden = offered.length < 2;
    const choices = offered.map(({ rule: name, title, text }) => {
      const input = h("input", { type: "radio", name: "rule", checked: name === rule, onchange: () => this.actions.setRule(name) });
      return h("label", { title: text }, input, title);
    });
    this.rules.replaceChildren(h("legend", {}, "A sensor that is moved"), ...choices);
  }

  private showChosen(state: State, one: Sensor | null): void {
    const { model, sensors, design } = state;
    this.chosen.hidden = one === null;
    if (!one || !model) {
      this.shown = "";
      return;
    }
    const structure = `${one.id}|${model.name}`;
    if (this.shown !== structure) {
      this.shown = structure;
      this.chosen.replaceChildren(...this.editor(model, one));
    }
    const part = (name: string) => this.chosen.querySelector<HTMLElement>(`[data-part=${name}]`)!;
    say(part("name"), `Sensor ${sensors.indexOf(one) + 1}`);
    say(part("place"), one.place.map((x, d) => `${model.axes[d]} ${format(x, 4)}`).join(" · "));
    const most = design && design.ids[design.told.most[0]?.sensor] === one.id;
    say(part("origin"), `${ORIGINS[one.origin].title}${most ? " · matters most" : ""}`);
    part("origin").dataset.origin = one.origin;
    say(part("why"), ORIGINS[one.origin].text);
    this.chosen.querySelectorAll<HTMLInputElement>("input[data-channel]").forEach((input) => {
      if (document.activeElement !== input) input.value = String(Number(one.values[Number(input.dataset.channel)].toPrecision(5)));
    });
    say(part("silence"), one.silent ? "Let it speak" : "Silence");
    part("silence").setAttribute("aria-pressed", String(one.silent));
    const noise = this.chosen.querySelector<HTMLInputElement>("#noise-one")!;
    if (document.activeElement !== noise) noise.value = String(one.noise);
    part("redraw").hidden = one.noise === 0;
    const said = reading(model, one).map((value, c) => `${format(value)} ± ${format(one.noise * deviation(model, c), 2)}`);
    say(part("said"), one.noise > 0 ? `says ${said.join(", ")}` : "none");
  }

  private editor(model: Model, one: Sensor): HTMLElement[] {
    const values = readingNames(model).map((name, c) => {
      const id = `value-${c}`;
      const input = h("input", { type: "number", step: "any", id, "data-channel": c });
      input.addEventListener("input", () => {
        if (input.value !== "" && Number.isFinite(input.valueAsNumber)) this.actions.setValue(one.id, c, input.valueAsNumber);
      });
      return h("div", { className: "field-row" }, h("label", { for: id }, `Reads ${name}`), input, h("span", { className: "unit" }, model.channels[c]?.unit ?? ""));
    });
    const noise = h("input", { type: "range", min: "0", max: "0.5", step: "0.01", id: "noise-one", title: "Up to half a deviation of the training data" });
    noise.addEventListener("input", () => this.actions.setNoise(Number(noise.value), one.id));
    return [
      h("div", { className: "chosen-head" }, h("h3", { "data-part": "name" }), h("span", { "data-part": "place", className: "place" })),
      h("p", { className: "origin", "data-part": "origin" }),
      h("p", { className: "hint", "data-part": "why" }),
      ...values,
      h("div", { className: "field-row" }, h("label", { for: "noise-one" }, "Noise"), noise, h("span", { className: "unit", "data-part": "said" })),
      h("div", { className: "buttons" },
        h("button", { type: "button", "data-part": "silence", onclick: () => this.actions.silence(one.id) }),
        h("button", { type: "button", "data-part": "redraw", title: "New random numbers", onclick: () => this.actions.redraw(one.id) }, "Redraw"),
        h("button", { type: "button", className: "danger", onclick: () => this.actions.remove(one.id) }, "Remove")),
    ];
  }

  private showTable({ model, sensors, selected }: State): void {
    if (!model) return;
    const open = this.table.open;
    const summary = this.table.querySelector("summary") ?? h("summary", {}, "All sensors");
    if (!open) return this.table.replaceChildren(summary);
    const head = h("tr", {}, ...["#", ...model.axes, ...readingNames(model), ""].map((name) => h("th", { scope: "col" }, name)));
    const rows = sensors.slice(0, ROWS).map((one, k) => {
      const pick = h("button", { type: "button", className: "quiet", onclick: () => this.actions.select(one.id), "aria-label": `Select sensor ${k + 1}` }, String(k + 1));
      const cells = [...one.place, ...reading(model, one)].map((value) => h("td", {}, format(value)));
      const state = one.silent ? "silenced" : one.noise > 0 ? `noise ${percent(one.noise)}` : ORIGINS[one.origin].title;
      return h("tr", { className: one.id === selected ? "picked" : "" }, h("td", {}, pick), ...cells, h("td", {}, state));
    });
    const rest = sensors.length > ROWS ? h("p", { className: "hint" }, `and ${sensors.length - ROWS} more; select them on the map`) : null;
    const scroll = h("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "All sensors" }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)));
    this.table.replaceChildren(summary, scroll, ...(rest ? [rest] : []));
  }
}
