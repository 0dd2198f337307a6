// Sensors: where they stand, what they read, and where that number comes from.

import { valueAt, type Field } from "./field";
import { inside, type Model } from "./model";

/**
 * Where a reading comes from: the true state, a file or the example, the other sensors (a guess: nobody measured it),
 * another place (the sensor was moved and kept its reading), or the user.
 */
export type Origin = "truth" | "measured" | "guess" | "carried" | "set";

export const ORIGINS: Record<Origin, { title: string; text: string }> = {
  truth: { title: "reads the true state", text: "The true state of this example is known, so the sensor reads it wherever it stands." },
  measured: { title: "measured", text: "A reading that came with the sensor. Moving it needs a new one." },
  guess: { title: "guessed", text: "Nobody measured here: this is what the other sensors imply. Type what you measured." },
  carried: { title: "kept from another place", text: "Measured elsewhere and carried along. Type what you measured here." },
  set: { title: "set by you", text: "You gave this reading." },
};

/** What a moved sensor reads: the truth, what the others imply, or what it read before. */
export type MoveRule = "truth" | "guess" | "carry";

export interface Sensor {
  id: number;
  place: number[];
  /** One number a source channel, without noise. */
  values: number[];
  origin: Origin;
  silent: boolean;
  /** Standard deviation of its noise, in deviations of the training data. */
  noise: number;
  /** The standard normal numbers of its noise. */
  draw: number[];
}

let created = 0;

export function sensor(place: number[], values: number[], origin: Origin): Sensor {
  return { id: ++created, place, values, origin, silent: false, noise: 0, draw: values.map(normal) };
}

/** What a sensor says: its value, and its noise. */
export function reading(model: Model, { values, noise, draw }: Sensor): number[] {
  if (noise === 0) return values;
  return values.map((value, c) => value + noise * draw[c] * deviation(model, c));
}

/** The deviation of a number in a reading, in the training data. */
export function deviation(model: Model, c: number): number {
  return model.range.deviation[c % model.range.deviation.length];
}

/** Those that are sent, with what they say. */
export function speaking(sensors: Sensor[]): Sensor[] {
  return sensors.filter((one) => !one.silent);
}

/** A sensor at another place, reading fields there if they are known. */
export function moved(model: Model, one: Sensor, place: number[], rule: MoveRule, fields: Field[] | null): Sensor {
  const at = inside(model, place);
  if (rule === "carry") return { ...one, place: at, origin: one.origin === "set" ? "set" : "carried" };
  const values = fields ? valuesOf(fields, at) : one.values;
  return { ...one, place: at, values, origin: rule };
}

/** What fields of one or two axes say at a place; those of one axis are constant along the other. */
export function valuesOf(fields: Field[], place: number[]): number[] {
  return fields.map((field) => valueAt(field, place[0], place[1] ?? field.lattice.lower[1]));
}

/** A standard normal number (Box and Muller). */
export function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}
