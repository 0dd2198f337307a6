// The routes of the server. Fields come as single precision numbers, everything else as JSON.

import type { Model } from "./model";

export type Query = { grid: number[] } | { points: number[][] };

/** Readings as they are sent. */
export interface Readings {
  sensors: number[][];
  values: number[][];
  s?: number;
}

/** Values of shape `[times, channels, …]`, and the ends of a band if one was asked for. */
export interface Answer {
  shape: number[];
  values: Float32Array;
  lower?: Float32Array;
  upper?: Float32Array;
}

/** Readings that have come in; `s` is missing without time. */
export interface Observed {
  s: number;
  sensors: number[][];
  readings: number[][];
}

export interface Bounds {
  shape: number[];
  bounds: number[];
  length_scale: number;
  worst: { value: number; at: number[] };
  mean: number;
  remark?: string;
}

export interface Ranked {
  sensor: number;
  at: number[];
  value: number;
  rise: number;
}

export interface Design {
  places: number[][];
  objective: string;
  before: number | null;
  after: number;
  most: Ranked[];
}

/** What the server refuses, in its own words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
  ) {
    super(message);
  }
}

/** The server cannot be reached, or has too much to do. */
export class Unreachable extends Error {}

const TOKEN = "lto-token";

export class Api {
  readonly root = new URL("./", location.href);

  get token(): string {
    return sessionStorage.getItem(TOKEN) ?? "";
  }

  set token(token: string) {
    sessionStorage.setItem(TOKEN, token);
  }

  async models(): Promise<Model[]> {
    return ((await this.json("v1/models")) as { models: Model[] }).models;
  }

  async encode(model: string, readings: Readings, signal: AbortSignal): Promise<string> {
    const body = { ...readings, merge_duplicates: true };
    return ((await this.json(route(model, "encode"), body, signal)) as { state: string }).state;
  }

  decode(model: string, body: { state: string; times: number[]; query: Query; band?: number }, signal: AbortSignal): Promise<Answer> {
    return this.field(route(model, "decode"), body, signal);
  }

  predict(model: string, body: Readings & { times: number[]; query: Query }, signal: AbortSignal): Promise<Answer> {
    return this.field(route(model, "predict"), { ...body, merge_duplicates: true }, signal);
  }

  truth(model: string, times: number[], grid: number[], signal: AbortSignal): Promise<Answer> {
    const at = times.length > 0 ? `times=${times.join(",")}&` : "";
    return this.field(`${route(model, "truth")}?${at}grid=${grid.join("x")}`, undefined, signal);
  }

  certify(model: string, body: { sensors: number[][]; curvature: number; sup?: number; grid: number[] }, signal: AbortSignal) {
    return this.json(route(model, "certify"), body, signal) as Promise<Bounds>;
  }

  design(model: string, body: { sensors: number[][]; n: number }, signal: AbortSignal) {
    return this.json(route(model, "design"), body, signal) as Promise<Design>;
  }

  /** The newest readings now, if there are any, and as they come, until the server ends the stream. */
  async *observed(model: Model, signal: AbortSignal): AsyncGenerator<Observed> {
    // The forecast that comes along is not needed: as small as can be.
    const leads = model.times ? "&leads=0" : "";
    const path = `${route(model.name, "forecast/stream")}?readings=true&grid=${model.axes.map(() => 2).join("x")}${leads}`;
    const response = await this.send(path, "text/event-stream", undefined, signal);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ; ) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw signal.aborted ? error : new Unreachable("The stream has ended.");
      });
      if (done) return;
      const events = (text + value).split("\n\n");
      text = events.pop()!;
      for (const event of events) {
        const data = event.match(/^data: ?(.*)$/m)?.[1];
        if (data && /^event: ?forecast$/m.test(event)) yield JSON.parse(data) as Observed;
      }
    }
  }

  private async json(path: string, body?: object, signal?: AbortSignal): Promise<unknown> {
    return (await this.send(path, "application/json", body, signal)).json();
  }

  private async field(path: string, body: object | undefined, signal: AbortSignal): Promise<Answer> {
    const response = await this.send(path, "application/octet-stream", body, signal);
    const shape = (response.headers.get("x-shape") ?? "").split(",").map(Number);
    const numbers = new Float32Array(await response.arrayBuffer());
    const banded = body !== undefined && "band" in body && body.band !== undefined;
    if (!banded) return { shape, values: numbers };
    // With a band, the first axis is prediction, lower and upper end.
    const part = (k: number) => numbers.subarray((k * numbers.length) / 3, ((k + 1) * numbers.length) / 3);
    return { shape: shape.slice(1), values: part(0), lower: part(1), upper: part(2) };
  }

  private async send(path: string, accept: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { accept };
    if (body) headers["content-type"] = "application/json";
    if (this.token) headers.authorization = `Bearer ${this.token}`;
    let response: Response;
    try {
      const request = { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal };
      response = await fetch(new URL(path, this.root), request);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Unreachable("The server does not answer.");
    }
    if (response.ok) return response;
    const told = (await response.json().catch(() => null)) as { error?: { kind: string; message: string } } | null;
    if (response.status >= 502) throw new Unreachable(told?.error?.message ?? "The server is busy.");
    const { kind, message } = told?.error ?? { kind: "unknown", message: `The server answers ${response.status}.` };
    throw new Refusal(response.status, kind, message);
  }
}

function route(model: string, verb: string): string {
  return `v1/models/${encodeURIComponent(model)}/${verb}`;
}
