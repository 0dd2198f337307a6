// What the screen needs from the server, and what each of these things depends on.

import type { Answer, Api, Readings } from "./api";
import { curvature, extent, type Field, type Lattice } from "./field";
import { COARSE, FINE, courseOf, firstMoment, gridOf, latticeOf, momentOf, timesOf } from "./lattices";
import { readsField, type Model } from "./model";
import { between } from "./numbers";
import type { Job } from "./pump";
import { reading, speaking, valuesOf, type Sensor } from "./sensors";
import { resting, type Forecast, type State } from "./store";

/** Nodes of fields that are only read from: the state at s, the truth. */
const READ = 64;
/** Times of a series at a place. */
const MOMENTS = 49;
/** A gesture's forecasts should come at this pace, in milliseconds. */
const PACE = 30;

/** The readings of sensors that speak. */
export function readings(model: Model, sensors: Sensor[], s: number): Readings {
  const heard = speaking(sensors);
  const body = { sensors: heard.map((one) => one.place), values: heard.map((one) => reading(model, one)) };
  return model.times ? { ...body, s } : body;
}

/** The curvature to assume: the user's, or the largest second difference of the state at s. */
export function assumedCurvature({ curvature: given, start, channel, model }: State): number | null {
  if (given !== null) return given;
  return start && model ? Number(curvature(start[channel] ?? start[0], model.dimension).toPrecision(2)) : null;
}

/** Number of nodes along the longest axis that a gesture can afford, learned from how long forecasts take. */
class Pacer {
  private level = 2;

  get nodes(): number {
    return COARSE[this.level];
  }

  took(milliseconds: number): void {
    if (milliseconds > 1.6 * PACE) this.level = Math.max(this.level - 1, 0);
    if (milliseconds < 0.5 * PACE) this.level = Math.min(this.level + 1, COARSE.length - 1);
  }
}

/** The jobs that follow every gesture, and those that wait until it has ended. */
export function jobs(api: Api): { quick: Job[]; patient: Job[] } {
  const pacer = new Pacer();
  /** The state that the server keeps, and what it was made from. */
  let encoded = { id: "", basis: "" };
  const steady = (model: Model, t: number) => (model.times ? [t] : []);
  const heard = (state: State) => state.model !== null && speaking(state.sensors).length > 0;
  const basis = (state: State) => (heard(state) ? `${state.revision}` : null);
  /** As `basis`, unless the server has refused it. */
  const ready = (state: State) => (basis(state) === encoded.basis ? basis(state) : null);
  const bandOf = (state: State) => {
    const wanted = state.model?.bands && (state.views.includes("band") || state.model.dimension === 1);
    return wanted ? { band: state.band } : {};
  };
  const nodesOf = (state: State) => (resting(state) ? FINE : state.gesture?.kind === "sensor" ? Math.min(pacer.nodes, 96) : pacer.nodes);

  /** An answer at one time, or over all times in one dimension, as fields. */
  const asForecast = (model: Model, lattice: Lattice, answer: Answer, t: number): Forecast => {
    const fields = (values: Float32Array): Field[] =>
      model.dimension === 1 ? courseOf(lattice, values, model.channels.length) : momentOf(lattice, values, model.channels.length);
    return {
      fields: fields(answer.values),
      ...(answer.lower && answer.upper && { lower: fields(answer.lower), upper: fields(answer.upper) }),
      t: model.times && model.dimension === 2 ? t : null,
    };
  };

  const encode: Job = {
    name: "encode",
    key: basis,
    none: { forecast: null, start: null, course: null, series: null },
    async run(state, signal) {
      const { model, sensors, s } = state;
      encoded = { id: await api.encode(model!.name, readings(model!, sensors, s), signal), basis: basis(state)! };
      return {};
    },
  };

  const forecast: Job = {
    name: "forecast",
    key(state) {
      if (!ready(state)) return null;
      const t = state.model!.dimension === 1 ? "" : state.t;
      return [ready(state), t, nodesOf(state), bandOf(state).band].join("|");
    },
    none: { forecast: null },
    async run(state, signal) {
      const { model, s, t } = state;
      const begun = performance.now();
      const grid = gridOf(model!, nodesOf(state));
      const times = model!.dimension === 1 ? timesOf(model!, s, nodesOf(state)) : steady(model!, t);
      const body = { state: encoded.id, times, query: { grid }, ...bandOf(state) };
      const answer = await api.decode(model!.name, body, signal);
      if (!resting(state)) pacer.took(performance.now() - begun);
      return { forecast: asForecast(model!, latticeOf(model!, grid, s, times.length), answer, t) };
    },
  };

  /** For a sensor that has to guess: the state at s without it. */
  const others: Job = {
    name: "others",
    key: ({ guess, sensors }) => (guess && speaking(sensors).some(({ id }) => id !== guess.id) ? `${guess.gesture}` : null),
    none: { others: null },
    async run({ model, sensors, s, guess }, signal) {
      const grid = gridOf(model!, READ);
      const rest = sensors.filter(({ id }) => id !== guess!.id);
      const answer = await api.predict(model!.name, { ...readings(model!, rest, s), times: [s], query: { grid } }, signal);
      const lattice = latticeOf(model!, grid, s, 1);
      const fields = model!.dimension === 1 ? courseOf(lattice, answer.values, model!.channels.length) : momentOf(lattice, answer.values, model!.channels.length);
      return { others: { gesture: guess!.gesture, fields } };
    },
  };

  /** The state at s, and the range of values over the course. */
  const start: Job = {
    name: "start",
    atRest: true,
    key: ready,
    none: { start: null, course: null },
    async run(state, signal) {
      const { model, s, forecast } = state;
      const channels = model!.channels.length;
      if (model!.dimension === 1 || !model!.times) {
        const fields = forecast!.fields;
        return { start: model!.dimension === 1 ? firstMoment(fields) : null, course: fields.map((field) => extent(field.values)) };
      }
      const grid = gridOf(model!, READ);
      const times = between(s, model!.times.end, 3);
      const { values } = await api.decode(model!.name, { state: encoded.id, times, query: { grid } }, signal);
      const lattice = latticeOf(model!, grid, s, 1);
      const moments = times.map((_, k) => momentOf(lattice, values, channels, k));
      const course = moments[0].map((_, c) => extent(moments.flatMap((fields) => extent(fields[c].values))));
      return { start: moments[0], course };
    },
  };

  const truthAtStart: Job = {
    name: "truth at s",
    key: ({ model, s }) => (model?.truth && readsField(model) ? `${s}` : null),
    none: { truthAtStart: null },
    async run({ model, s }, signal) {
      const grid = gridOf(model!, FINE);
      const { values } = await api.truth(model!.name, [s], grid, signal);
      const lattice = latticeOf(model!, grid, s, 1);
      const channels = model!.channels.length;
      const fields = model!.dimension === 1 ? courseOf(lattice, values, channels) : momentOf(lattice, values, channels);
      return { truthAtStart: { s, fields } };
    },
  };

  const truth: Job = {
    name: "truth",
    key: ({ model, s, t }) => (model?.truth ? (model.dimension === 1 ? `${s}` : `${t}`) : null),
    none: { truth: null },
    async run({ model, s, t }, signal) {
      const grid = gridOf(model!, model!.dimension === 1 ? FINE : READ);
      const times = model!.dimension === 1 ? timesOf(model!, s, FINE) : steady(model!, t);
      const answer = await api.truth(model!.name, times, grid, signal);
      return { truth: asForecast(model!, latticeOf(model!, grid, s, times.length), answer, t) };
    },
  };

  const series: Job = {
    name: "series",
    atRest: true,
    key(state) {
      const { model, probe, band } = state;
      return probe && model?.times && model.dimension === 2 && ready(state) ? `${ready(state)}|${probe}|${band}` : null;
    },
    none: { series: null },
    async run(state, signal) {
      const { model, s, probe, band } = state;
      const times = between(s, model!.times!.end, MOMENTS);
      const body = { state: encoded.id, times, query: { points: [probe!] }, ...(model!.bands && { band }) };
      const answer = await api.decode(model!.name, body, signal);
      const channels = model!.channels.length;
      const byChannel = (values: Float32Array) => Array.from({ length: channels }, (_, c) => values.filter((_, k) => k % channels === c));
      const bands = answer.lower && answer.upper && { lower: byChannel(answer.lower), upper: byChannel(answer.upper) };
      return { series: { times, values: byChannel(answer.values), ...bands } };
    },
  };

  const truthSeries: Job = {
    name: "truth series",
    key: ({ model, probe, s }) => (probe && model?.truth && model.times && model.dimension === 2 ? `${s}|${probe}` : null),
    none: { truthSeries: null },
    async run({ model, s, probe }, signal) {
      const grid = gridOf(model!, 32);
      const times = between(s, model!.times!.end, MOMENTS);
      const { values } = await api.truth(model!.name, times, grid, signal);
      const lattice = latticeOf(model!, grid, s, 1);
      const moments = times.map((_, k) => valuesOf(momentOf(lattice, values, model!.channels.length, k), probe!));
      return { truthSeries: { times, values: model!.channels.map((_, c) => Float32Array.from(moments, (m) => m[c])) } };
    },
  };

  const bounds: Job = {
    name: "bounds",
    atRest: true,
    key(state) {
      const assumed = assumedCurvature(state);
      return state.views.includes("bound") && heard(state) && assumed !== null ? `${places(state)}|${assumed}` : null;
    },
    none: { bounds: null },
    async run(state, signal) {
      const { model, sensors, start, channel, s } = state;
      const grid = gridOf(model!, model!.dimension === 1 ? FINE : READ);
      const range = start ? extent((start[channel] ?? start[0]).values) : [0, 0];
      const sup = Math.max(Math.abs(range[0]), Math.abs(range[1])) || undefined;
      const body = { sensors: speaking(sensors).map((one) => one.place), curvature: assumedCurvature(state)!, sup, grid };
      const told = await api.certify(model!.name, body, signal);
      const lattice = latticeOf(model!, grid, s, 2);
      const values = Float32Array.from(told.bounds);
      const field = model!.dimension === 1 ? courseOf(lattice, values, 1)[0] : { lattice, values };
      return { bounds: { field, told } };
    },
  };

  const design: Job = {
    name: "design",
    atRest: true,
    key: (state) => (state.advice && heard(state) ? places(state) : null),
    none: { design: null },
    async run(state, signal) {
      // Sensors at the same place are one to the server.
      const heard = [...new Map(speaking(state.sensors).map((one) => [one.place.join(","), one])).values()];
      const told = await api.design(state.model!.name, { sensors: heard.map((one) => one.place), n: 1 }, signal);
      return { design: { told, ids: heard.map((one) => one.id) } };
    },
  };

  return { quick: [truthAtStart, encode, others, forecast, truth, start, series], patient: [truthSeries, design, bounds] };
}

/** Where the sensors that speak stand, in one text. */
function places({ sensors }: State): string {
  return speaking(sensors).map((one) => one.place.join(",")).join(";");
}
