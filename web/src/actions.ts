// What people do with sensors and time. Every way to do it, by pointer, key, button or file, ends here.

import type { Observed } from "./api";
import type { Field } from "./field";
import { inside, readsField, type Model } from "./model";
import { moved, normal, sensor, valuesOf, type MoveRule, type Sensor } from "./sensors";
import type { State, Store } from "./store";

/** Changes that can be taken back. */
const KEPT = 100;

export class Actions {
  private gestures = 0;
  private past: Sensor[][] = [];

  constructor(private readonly store: Store) {
    store.subscribe((state, changed) => this.reread(state, changed), true);
  }

  private get state(): State {
    return this.store.state;
  }

  /** Opens a model with its example. */
  open(model: Model): void {
    this.past = [];
    this.store.open(model);
    const s = model.example?.s ?? model.times?.start ?? 0;
    const rule: MoveRule = model.truth && readsField(model) ? "truth" : readsField(model) ? "guess" : "carry";
    this.store.set({ s, t: model.times ? s + (model.times.end - s) / 2 : 0, rule });
    this.example();
  }

  /** Takes back the last change of the sensors. */
  undo(): void {
    const sensors = this.past.pop();
    if (sensors) this.store.set({ sensors, gesture: null });
  }

  /** The sensors of the model's example. */
  example(): void {
    this.remember();
    const { model, rule } = this.state;
    const given = model?.example;
    if (!model) return;
    const origin = rule === "truth" ? "truth" : "measured";
    const sensors = given ? given.sensors.map((place, k) => sensor(place, given.values[k], origin)) : [];
    this.store.set({ sensors, selected: null, ...(given?.s != null && { s: given.s }) });
  }

  /** Sensors of the user's own; nothing is known about the truth of their state. */
  load(rows: { place: number[]; values: number[] }[]): void {
    this.remember();
    const { rule } = this.state;
    const sensors = rows.map(({ place, values }) => sensor(place, values, "measured"));
    this.store.set({ sensors, selected: null, rule: rule === "truth" ? "guess" : rule });
  }

  /** The newest readings, shown as far ahead of them as before; sensors that stay where they were stay the same. */
  follow({ s, sensors: places, readings }: Observed): void {
    const { model, sensors, t, rule, s: before } = this.state;
    if (!model) return;
    const known = new Map(sensors.map((one) => [one.place.join(), one]));
    const next = places.map((place, k) => ({ ...(known.get(place.join()) ?? sensor(place, readings[k], "measured")), values: readings[k], origin: "measured" as const }));
    const times = model.times && { s, t: Math.min(s + t - before, model.times.end) };
    this.store.set({ sensors: next, live: "on", rule: rule === "truth" ? "guess" : rule, ...times });
  }

  /** Begins to follow the newest readings, or ends it. */
  setLive(on: boolean): void {
    if (on) this.remember();
    this.store.set({ live: on ? "waiting" : "off", playing: false });
  }

  select(id: number | null): void {
    this.store.set({ selected: id });
  }

  /** The sensor after or before the selected one. */
  next(step: 1 | -1): void {
    const { sensors, selected } = this.state;
    if (sensors.length === 0) return;
    const at = sensors.findIndex((one) => one.id === selected);
    const first = step === 1 ? 0 : sensors.length - 1;
    this.select(sensors[at < 0 ? first : (at + step + sensors.length) % sensors.length].id);
  }

  /** From now on something moves, until `rest`. */
  begin(kind: "sensor" | "time"): void {
    if (this.state.gesture?.kind === kind) return;
    if (kind === "sensor") this.remember();
    this.store.set({ gesture: { kind, number: ++this.gestures } });
  }

  rest(): void {
    const { guess, others } = this.state;
    this.store.set({ gesture: null, guess: others?.gesture === guess?.gesture ? null : guess });
  }

  move(id: number, place: number[]): void {
    const { model, rule, guess } = this.state;
    if (!model) return;
    if (rule === "guess" && guess?.gesture !== this.gestures) this.store.set({ guess: { id, gesture: this.gestures } });
    this.change(id, (one) => moved(model, one, place, rule, this.readable(rule)));
  }

  /** A new sensor, selected, that reads what the rule says: a guess if nothing better is known. */
  add(place: number[]): void {
    const { model, rule, sensors, start, selected } = this.state;
    if (!model) return;
    this.remember();
    const at = inside(model, place);
    const truth = rule === "truth" ? this.readable("truth") : null;
    const fields = truth ?? (readsField(model) ? start : null);
    const template = sensors.find((one) => one.id === selected) ?? sensors[0];
    const values = fields ? valuesOf(fields, at) : (template?.values ?? Array.from({ length: model.source_channels }, (_, c) => model.range.mean[c] ?? 0));
    const one = sensor(at, values, truth ? "truth" : "guess");
    this.store.set({ sensors: [...sensors, one], selected: one.id });
  }

  remove(id: number): void {
    this.remember();
    const { sensors } = this.state;
    const at = sensors.findIndex((one) => one.id === id);
    const rest = sensors.filter((one) => one.id !== id);
    this.store.set({ sensors: rest, selected: rest[Math.min(at, rest.length - 1)]?.id ?? null });
  }

  silence(id: number): void {
    this.remember();
    this.change(id, (one) => ({ ...one, silent: !one.silent }));
  }

  setValue(id: number, channel: number, value: number): void {
    if (!this.state.gesture) this.remember();
    this.change(id, (one) => ({ ...one, values: one.values.map((v, c) => (c === channel ? value : v)), origin: "set" }));
  }

  /** Noise of one sensor, or of all. */
  setNoise(noise: number, id?: number): void {
    const sensors = this.state.sensors.map((one) => (id === undefined || one.id === id ? { ...one, noise } : one));
    this.store.set({ sensors });
  }

  /** New random numbers for the noise of one sensor, or of all. */
  redraw(id?: number): void {
    const sensors = this.state.sensors.map((one) => (id === undefined || one.id === id ? { ...one, draw: one.values.map(normal) } : one));
    this.store.set({ sensors });
  }

  setRule(rule: MoveRule): void {
    this.store.set({ rule });
    const fields = rule === "truth" ? this.readable("truth") : null;
    if (fields) this.store.set({ sensors: this.state.sensors.map((one) => readTruth(one, fields)) });
  }

  /** Another time of the readings. Sensors that read the truth read it then; others keep what they said. */
  setStart(s: number): void {
    const { model, t } = this.state;
    if (model?.times) this.store.set({ s, t: Math.max(t, s) });
  }

  setTime(t: number): void {
    const { model, s } = this.state;
    if (model?.times) this.store.set({ t: Math.min(Math.max(t, s), model.times.end) });
  }

  /** Keeps the sensors as they are, for `undo`. */
  private remember(): void {
    this.past = [...this.past.slice(1 - KEPT), this.state.sensors];
  }

  private change(id: number, change: (one: Sensor) => Sensor): void {
    this.store.set({ sensors: this.state.sensors.map((one) => (one.id === id ? change(one) : one)) });
  }

  /** The fields that a moved sensor reads under a rule, as far as they are known. */
  private readable(rule: MoveRule): Field[] | null {
    const { truthAtStart, s, others } = this.state;
    if (rule === "truth") return truthAtStart?.s === s ? truthAtStart.fields : null;
    return others?.gesture === this.gestures ? others.fields : null;
  }

  /** Fields that have just become known are read by the sensors that waited for them. */
  private reread({ sensors, guess, gesture }: State, changed: Set<keyof State>): void {
    if (changed.has("truthAtStart")) {
      const fields = this.readable("truth");
      if (fields && sensors.some((one) => one.origin === "truth")) {
        this.store.set({ sensors: sensors.map((one) => (one.origin === "truth" ? readTruth(one, fields) : one)) });
      }
    }
    if (changed.has("others") && guess) {
      const one = sensors.find(({ id }) => id === guess.id);
      if (one?.origin === "guess") this.move(one.id, one.place);
      if (!gesture) this.rest();
    }
  }
}

function readTruth(one: Sensor, fields: Field[]): Sensor {
  return { ...one, values: valuesOf(fields, one.place), origin: "truth" };
}
