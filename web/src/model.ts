// What the server says about a model, and what follows from it.

export interface Channel {
  name: string;
  unit?: string;
}

export interface Model {
  name: string;
  /** The path that the server was given; the twin that is part of the program has none. */
  run?: string;
  kind: string;
  dimension: number;
  domain: { lower: number[]; upper: number[]; periodic: boolean[] };
  axes: string[];
  /** What is predicted. */
  channels: Channel[];
  /** Numbers in a reading. */
  source_channels: number;
  native: number[];
  times: { start: number; end: number; native_interval: number | null } | null;
  parameters: number;
  range: { mean: number[]; deviation: number[] };
  bands: boolean;
  example: { sensors: number[][]; values: number[][]; s: number | null } | null;
  truth: boolean;
}

/** Whether a reading is a value of the predicted field at time s, so that fields can stand in for readings. */
export function readsField(model: Model): boolean {
  return model.times !== null && model.source_channels === model.channels.length;
}

/** The place inside the domain that is meant: wrapped on periodic axes, clamped on others. */
export function inside(model: Model, place: number[]): number[] {
  const { lower, upper, periodic } = model.domain;
  return place.map((x, d) => {
    const length = upper[d] - lower[d];
    if (!periodic[d]) return Math.min(Math.max(x, lower[d]), upper[d]);
    const wrapped = x - length * Math.floor((x - lower[d]) / length);
    return wrapped < upper[d] ? wrapped : lower[d];
  });
}

/** Names of the numbers in a reading: the channels, or numbered if a reading holds something else. */
export function readingNames(model: Model): string[] {
  if (model.source_channels === model.channels.length) return model.channels.map((channel) => channel.name);
  return Array.from({ length: model.source_channels }, (_, c) => `v${c}`);
}
