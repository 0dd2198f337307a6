// The server under test: the mock, or `lto serve` if LTO_PROGRAM names the program.

import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { Mock } from "./mock";

export const PROGRAM = process.env.LTO_PROGRAM ?? null;
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** What `lto serve` is given: nothing is its own twin of the heat equation. */
const RUNS = { demo: [], flat: ["results/burgers_29k"], steady: ["results/darcy"] };
export type Kind = keyof typeof RUNS;

export interface TestServer {
  url: string;
  stop(): Promise<void>;
  /** Again, at the same address. */
  restart(): Promise<void>;
}

/** A server with a two-dimensional model that knows the truth, a one-dimensional model, or one without time. */
export async function serve(kind: Kind): Promise<TestServer> {
  return PROGRAM ? program(PROGRAM, RUNS[kind]) : mock();
}

async function mock(): Promise<TestServer> {
  const server = new Mock();
  const port = await server.start(0);
  return { url: `http://127.0.0.1:${port}/`, stop: () => server.stop(), restart: async () => void (await server.start(port)) };
}

async function program(path: string, runs: string[]): Promise<TestServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  let child: ChildProcess;
  const start = async () => {
    child = spawn(path, ["serve", ...runs, "--port", String(port)], { cwd: ROOT, stdio: "ignore" });
    for (let tries = 0; tries < 150; tries++) {
      const live = await fetch(`${url}v1/models`).then((response) => response.ok, () => false);
      if (live) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error(`${path} serve does not answer`);
  };
  const stop = async () => {
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await ended;
  };
  await start();
  return { url, stop, restart: start };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, "127.0.0.1", done));
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}
