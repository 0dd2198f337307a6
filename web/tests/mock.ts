// A server with the routes of `lto serve` whose fields have closed forms, for tests of the page alone.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

type Place = number[];
interface Readings {
  sensors: Place[];
  values: number[][];
  s?: number;
}

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const TYPES: Record<string, string> = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
/** Width of the kernel that stands for the twin. */
const LENGTH = 0.12;

/** The true state: two waves that decay at their own rates. */
export function truth(t: number, place: Place): number {
  const [x, y = 0.25] = place;
  const wave = (k: number, phase: number) => Math.sin(2 * Math.PI * (k * x + phase)) * Math.sin(2 * Math.PI * k * y);
  return 0.5 + 0.6 * Math.exp(-40 * t) * wave(1, 0) + 0.3 * Math.exp(-120 * t) * wave(2, 0.1);
}

function distance(a: Place, b: Place): number {
  return Math.hypot(...a.map((x, d) => Math.abs(x - b[d]) % 1).map((gap) => Math.min(gap, 1 - gap)));
}

/** The forecast: a kernel mean of the readings, drawn towards ½ over time; its band is wide where sensors are far. */
export function forecast({ sensors, values, s = 0 }: Readings, t: number, place: Place): { value: number; half: number } {
  const weights = sensors.map((sensor) => Math.exp(-0.5 * (distance(sensor, place) / LENGTH) ** 2) + 1e-9);
  const total = weights.reduce((a, b) => a + b);
  const mean = weights.reduce((sum, weight, k) => sum + weight * values[k][0], 0) / total;
  return { value: 0.5 + (mean - 0.5) * Math.exp(-50 * (t - s)), half: 0.2 / (1 + total) };
}

function example(dimension: number) {
  const sensors = Array.from({ length: dimension === 1 ? 14 : 40 }, (_, k) => [(0.5 + 0.7548776662 * k) % 1, (0.5 + 0.5698402909 * k) % 1].slice(0, dimension));
  return { sensors, values: sensors.map((place) => [truth(0, place)]), s: 0 };
}

function model(name: string, dimension: number, known: boolean, bands: boolean) {
  const axes = ["x", "y"].slice(0, dimension);
  return {
    name, kind: "twin", dimension, axes, domain: { lower: axes.map(() => 0), upper: axes.map(() => 1), periodic: axes.map(() => dimension === 2) },
    channels: [{ name: "u", unit: dimension === 2 ? "K" : undefined }], source_channels: 1, native: axes.map(() => 64), parameters: 48291,
    times: { start: 0, end: 0.016, native_interval: 0.001 }, range: { mean: [0.5], deviation: [0.35] }, bands, example: example(dimension), truth: known,
  };
}

/** Without time, and with readings of something else than what is predicted. */
const darcy = { ...model("darcy", 2, false, false), channels: [{ name: "p" }], source_channels: 2, times: null };
darcy.example = { ...darcy.example, values: darcy.example.values.map(([value]) => [value, 1]), s: null as unknown as number };
const MODELS = [model("heat", 2, true, true), model("stations", 2, false, false), model("burgers", 1, false, true), darcy];

function points(query: { grid?: number[]; points?: Place[] }, { domain }: (typeof MODELS)[0]): Place[] {
  if (query.points) return query.points;
  const axis = (n: number, d: number) => Array.from({ length: n }, (_, i) => i / (domain.periodic[d] ? n : n - 1));
  const [xs, ys] = query.grid!.map(axis);
  return ys ? xs.flatMap((x) => ys.map((y) => [x, y])) : xs.map((x) => [x]);
}

export class Mock {
  private server: Server | null = null;
  private states = new Map<string, Readings>();
  /** The newest readings, as an event of a stream, and the open streams, by model. */
  private newest = new Map<string, string>();
  private streams: { name: string; response: ServerResponse }[] = [];
  /** Paths that were asked for, in order. */
  readonly asked: string[] = [];

  async start(port: number): Promise<number> {
    this.states.clear();
    this.newest.clear();
    this.streams = [];
    this.server = createServer((request, response) => void this.answer(request, response));
    await new Promise<void>((done) => this.server!.listen(port, "127.0.0.1", done));
    return (this.server.address() as { port: number }).port;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((done) => this.server?.close(done));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, "http://localhost");
    const [, version, , name, verb] = url.pathname.split("/");
    if (version !== "v1") return this.file(url.pathname, response);
    this.asked.push(url.pathname);
    if (!name) return json(response, { models: MODELS });
    const chosen = MODELS.find((one) => one.name === name)!;
    if (verb === "forecast") return this.stream(name, response);
    const text = await new Promise<string>((done) => {
      const parts: Buffer[] = [];
      request.on("data", (part) => parts.push(part)).on("end", () => done(Buffer.concat(parts).toString()));
    });
    const body = text ? JSON.parse(text) : {};
    const octets = request.headers.accept === "application/octet-stream";
    if (verb === "encode") {
      const far = (body.values as number[][]).findIndex(([value]) => Math.abs(value - 0.5) > 8 * 0.35);
      if (far >= 0) return refuse(response, 422, "data", `Sensor ${far + 1} reads ${body.values[far][0]}, more than 8 deviations from the training data.`);
      const state = String(this.states.size);
      this.states.set(state, body);
      return json(response, { state, expires_in: 600 });
    }
    if (verb === "observations") {
      const { time: s, sensors, values: readings } = body;
      this.newest.set(name, `event: forecast\ndata: ${JSON.stringify({ s, sensors, readings })}\n\n`);
      for (const open of this.streams) if (open.name === name) open.response.write(this.newest.get(name));
      return json(response, { time: s, sensors: sensors.length });
    }
    if (verb === "truth") {
      const grid = url.searchParams.get("grid")!.split("x").map(Number);
      const times = url.searchParams.get("times")!.split(",").map(Number);
      const places = points({ grid }, chosen);
      return field(response, octets, [times.length, 1, ...grid], times, times.flatMap((t) => places.map((place) => truth(t, place))));
    }
    if (verb === "predict" || verb === "decode") {
      const readings = verb === "predict" ? body : this.states.get(body.state);
      if (!readings) return refuse(response, 404, "no_state", "That state is gone: encode again.");
      const places = points(body.query, chosen);
      const times: number[] = body.times ?? [];
      const said = (times.length > 0 ? times : [readings.s ?? 0]).flatMap((t) => places.map((place) => forecast(readings, t, place)));
      const shape = [Math.max(times.length, 1), 1, ...(body.query.grid ?? [places.length])];
      const ends = body.band ? [said.map(({ value, half }) => value - half), said.map(({ value, half }) => value + half)] : [];
      return field(response, octets, shape, times, said.map(({ value }) => value), ends);
    }
    if (verb === "certify") {
      const bounds = points({ grid: body.grid }, chosen).map((place) => body.curvature * Math.min(...(body.sensors as Place[]).map((sensor) => distance(sensor, place))) ** 2);
      return json(response, { shape: body.grid, bounds, estimator: "nadaraya_watson", length_scale: LENGTH, worst: { value: Math.max(...bounds), at: [0, 0] }, mean: bounds.reduce((a, b) => a + b) / bounds.length });
    }
    const gap = (place: Place, sensors: Place[]) => Math.min(...sensors.map((sensor) => distance(sensor, place)));
    const places = points({ grid: Array(chosen.dimension).fill(24) }, chosen);
    const best = places.reduce((a, b) => (gap(b, body.sensors) > gap(a, body.sensors) ? b : a));
    const fill = (sensors: Place[]) => Math.max(...places.map((place) => gap(place, sensors)));
    const without = (body.sensors as Place[]).map((at, sensor) => ({ sensor, at, value: fill(body.sensors.filter((_: Place, k: number) => k !== sensor)), rise: 0 }));
    return json(response, { places: [best], objective: "fill_distance", before: fill(body.sensors), after: fill([...body.sensors, best]), most: without.sort((a, b) => b.value - a.value).slice(0, 3), least: [] });
  }

  /** Readings as they come. */
  private stream(name: string, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(this.newest.get(name) ?? ": nothing yet\n\n");
    this.streams.push({ name, response });
  }

  private file(path: string, response: ServerResponse): void {
    const name = path === "/" ? "index.html" : path.slice(1);
    try {
      const content = readFileSync(join(DIST, name));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream", "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'" });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  }
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, kind: string, message: string): void {
  json(response, { error: { kind, message } }, status);
}

function field(response: ServerResponse, octets: boolean, shape: number[], times: number[], values: number[], ends: number[][] = []): void {
  if (!octets) return json(response, { times, shape, values, ...(ends.length > 0 && { lower: ends[0], upper: ends[1] }), ways: times.map(() => "direct") });
  const all = Float32Array.from([values, ...ends].flat());
  const whole = ends.length > 0 ? [3, ...shape] : shape;
  response.writeHead(200, { "content-type": "application/octet-stream", "x-shape": whole.join(",") }).end(Buffer.from(all.buffer));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(`http://127.0.0.1:${await new Mock().start(Number(process.argv[2] ?? 8123))}`);
