// The ways to look at a forecast: what each shows, on which scale.

import { scaleOf, type Scale } from "./colormap";
import { combine, extent, relativeError, type Field } from "./field";
import { format, percent } from "./numbers";
import type { State, ViewName } from "./store";

export interface View {
  name: ViewName;
  title: string;
  /** What it is, for those who ask. */
  text: string;
  field(state: State): Field | null;
  /** Whether its colors mean values of the field, so that sensors can have them too. */
  showsValues: boolean;
  scale(state: State, field: Field): Scale;
  /** A figure that sums it up. */
  figure(state: State, field: Field): string;
}

function channelOf<T>(state: State, list: T[] | undefined): T | null {
  return list?.[state.channel] ?? null;
}

/** a − b, computed once for a pair of fields. */
function difference(): (a: Field, b: Field) => Field {
  let known: { a: Field; b: Field; field: Field } | null = null;
  return (a, b) => {
    if (known?.a !== a || known.b !== b) known = { a, b, field: combine(a, b, (x, y) => x - y) };
    return known.field;
  };
}
const error = difference();
const width = difference();

/** The scale of the forecast: over the whole course, unless the moment alone is wanted. */
export function forecastScale(state: State): Scale {
  const shown = channelOf(state, state.forecast?.fields);
  const course = channelOf(state, state.course ?? undefined);
  const { mean, deviation } = state.model?.range ?? { mean: [0], deviation: [1] };
  const c = Math.min(state.channel, mean.length - 1);
  const range: [number, number] = state.momentary && shown ? extent(shown.values) : (course ?? [mean[c] - 2 * deviation[c], mean[c] + 2 * deviation[c]]);
  return scaleOf(range, state.map);
}

/** The error against the truth, where it is known. */
export function errorOf(state: State): number | null {
  const [shown, truth] = [channelOf(state, state.forecast?.fields), channelOf(state, state.truth?.fields)];
  return shown && truth && state.forecast?.t === state.truth?.t ? relativeError(shown, truth) : null;
}

/** A range that covers a value and stays the same while the value changes a little: the forecast's, halved and halved. */
function stepped(value: number, state: State): number {
  const { lower, upper } = forecastScale(state);
  return value > 0 ? (upper - lower) * 2 ** Math.ceil(Math.log2(value / (upper - lower))) : upper - lower;
}

export const VIEWS: View[] = [
  {
    name: "forecast",
    showsValues: true,
    title: "Forecast",
    text: "What the twin says the field is, from the sensors alone.",
    field: (state) => channelOf(state, state.forecast?.fields),
    scale: forecastScale,
    figure(state) {
      const error = errorOf(state);
      return error === null ? "" : `${percent(error)} off the truth`;
    },
  },
  {
    name: "truth",
    showsValues: true,
    title: "Truth",
    text: "The true course of this example, which the twin does not see.",
    field: (state) => channelOf(state, state.truth?.fields),
    scale: forecastScale,
    figure: () => "",
  },
  {
    name: "difference",
    showsValues: false,
    title: "Difference",
    text: "Forecast minus truth.",
    field(state) {
      const [shown, truth] = [channelOf(state, state.forecast?.fields), channelOf(state, state.truth?.fields)];
      return shown && truth ? error(shown, truth) : null;
    },
    scale(state, field) {
      const reach = stepped(Math.max(...extent(field.values).map(Math.abs)), state);
      return scaleOf([-reach, reach], "polar");
    },
    figure: (_, field) => `up to ${format(Math.max(...extent(field.values).map(Math.abs)))}`,
  },
  {
    name: "band",
    showsValues: false,
    title: "Band width",
    text: "How wide the band is that holds the true value with the given probability.",
    field(state) {
      const [lower, upper] = [channelOf(state, state.forecast?.lower), channelOf(state, state.forecast?.upper)];
      return lower && upper ? width(upper, lower) : null;
    },
    scale: (state, field) => scaleOf([0, stepped(extent(field.values)[1], state)], "ember"),
    figure: (state, field) => `${percent(state.band)} band, up to ${format(extent(field.values)[1])}`,
  },
  {
    name: "bound",
    showsValues: false,
    title: "Certificate",
    text: "How far an estimate between the sensors can be off at time s, for any state no more curved than assumed.",
    field: (state) => state.bounds?.field ?? null,
    scale: (_, field) => scaleOf([0, extent(field.values)[1]], "ember"),
    figure: ({ bounds }) => (bounds ? `at most ${format(bounds.told.worst.value)}` : ""),
  },
];
