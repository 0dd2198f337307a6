// Everything the page knows. Parts that show it are told once a frame what has changed.

import type { Bounds, Design } from "./api";
import type { MapName } from "./colormap";
import type { Field } from "./field";
import type { Model } from "./model";
import type { MoveRule, Sensor } from "./sensors";

export type ViewName = "forecast" | "band" | "bound" | "truth" | "difference";

/** Fields by channel, and the ends of their band. */
export interface Forecast {
  fields: Field[];
  lower?: Field[];
  upper?: Field[];
  /** When the state is; over all times in one dimension. */
  t: number | null;
}

/** Values over time at one place, by channel. */
export interface Series {
  times: number[];
  values: Float32Array[];
  lower?: Float32Array[];
  upper?: Float32Array[];
}

export type Connection = "connecting" | "online" | "offline" | "locked";

export interface State {
  connection: Connection;
  models: Model[];
  model: Model | null;
  sensors: Sensor[];
  /** Counts changes of what the sensors say. */
  revision: number;
  selected: number | null;
  rule: MoveRule;
  /** Time of the readings, and the time shown. */
  s: number;
  t: number;
  /** The gesture that is moving a sensor or the time: forecasts are coarse as long as there is one. */
  gesture: { kind: "sensor" | "time"; number: number } | null;
  /** The sensor that a gesture has moved to where only the others can say what it reads, until it has been told. */
  guess: { id: number; gesture: number } | null;
  playing: boolean;
  /** Whether the newest readings of the server are followed, and whether any have come. */
  live: "off" | "waiting" | "on";
  channel: number;
  views: ViewName[];
  contours: boolean;
  map: MapName;
  /** Whether colors span the shown moment only, not the whole course. */
  momentary: boolean;
  /** The place whose profiles are shown. */
  probe: number[] | null;
  /** Probability of the band. */
  band: number;
  /** The largest second derivative that the user assumes. */
  curvature: number | null;
  advice: boolean;

  forecast: Forecast | null;
  /** The state at s, by channel, as the sensors imply it; and as all but the guessing one imply it. */
  start: Field[] | null;
  others: { gesture: number; fields: Field[] } | null;
  /** Smallest and largest value over the course, by channel. */
  course: [number, number][] | null;
  truth: Forecast | null;
  /** The true state at s, by channel. */
  truthAtStart: { s: number; fields: Field[] } | null;
  series: Series | null;
  truthSeries: Series | null;
  bounds: { field: Field; told: Bounds } | null;
  design: { told: Design; ids: number[] } | null;
  /** What went wrong, by the part of the page that asked for it. */
  problems: Record<string, string>;
}

const EMPTY: State = {
  connection: "connecting", models: [], model: null, sensors: [], revision: 0, selected: null, rule: "carry",
  s: 0, t: 0, gesture: null, guess: null, playing: false, live: "off", channel: 0, views: ["forecast"], contours: false, map: "lagoon",
  momentary: false, probe: null, band: 0.9, curvature: null, advice: true, forecast: null, start: null, others: null,
  course: null, truth: null, truthAtStart: null, series: null, truthSeries: null, bounds: null, design: null, problems: {},
};

type Listener = (state: State, changed: Set<keyof State>) => void;

export class Store {
  state: State = EMPTY;
  private listeners: { hear: Listener; atOnce: boolean }[] = [];
  private changed = new Set<keyof State>();
  private frame = 0;

  /** Calls back once a frame in which something has changed, or at once. */
  subscribe(hear: Listener, atOnce = false): void {
    this.listeners.push({ hear, atOnce });
  }

  set(patch: Partial<State>): void {
    const keys = (Object.keys(patch) as (keyof State)[]).filter((key) => patch[key] !== this.state[key]);
    if (keys.length === 0) return;
    const heard = keys.some((key) => key === "sensors" || key === "s" || key === "model");
    this.state = { ...this.state, ...patch, revision: this.state.revision + (heard ? 1 : 0) };
    for (const key of keys) this.changed.add(key);
    if (!this.frame) this.frame = requestAnimationFrame(() => this.tell());
    for (const { hear, atOnce } of this.listeners) if (atOnce) hear(this.state, new Set(keys));
  }

  /** A new problem of a part of the page, or none. */
  problem(part: string, text: string | null): void {
    const { [part]: had, ...rest } = this.state.problems;
    if ((had ?? null) !== text) this.set({ problems: text === null ? rest : { ...rest, [part]: text } });
  }

  /** Forgets everything that was computed for another model, or for the same one before. */
  open(model: Model): void {
    const { connection, models, views, contours, map, band, advice, momentary } = this.state;
    const kept = views.filter((view) => available(view, model));
    this.set({ ...EMPTY, connection, models, contours, map, band, advice, momentary, model: { ...model }, views: kept.length > 0 ? kept : ["forecast"] });
  }

  /** Tells what has changed now, not with the next frame. */
  tell(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const changed = this.changed;
    this.changed = new Set();
    for (const { hear, atOnce } of this.listeners) if (!atOnce) hear(this.state, changed);
  }
}

/** Whether a model can be looked at in this way. */
export function available(view: ViewName, model: Model): boolean {
  if (view === "band") return model.bands;
  return view === "truth" || view === "difference" ? model.truth : true;
}

/** Whether nothing moves. */
export function resting({ gesture, playing }: State): boolean {
  return gesture === null && !playing;
}
