// Keeps things on the screen up to date: one request at a time, always for the latest wish.

import { Refusal, Unreachable } from "./api";
import { resting, type State, type Store } from "./store";

/** Something on the screen that the server computes. */
export interface Job {
  name: string;
  /** Whether it can wait until gestures have ended. */
  atRest?: boolean;
  /** What it depends on, in one text; `null` while nobody wants it. */
  key(state: State): string | null;
  /** Asks for it and says what it changes. */
  run(state: State, signal: AbortSignal): Promise<Partial<State>>;
  /** What is shown when nobody wants it, or it was refused. */
  none: Partial<State>;
}

export class Pump {
  private done = new Map<string, string | null>();
  private running = false;
  private controller: AbortController | null = null;

  /** Jobs are looked after in this order. `failed` is called when the server cannot be reached. */
  constructor(
    private readonly store: Store,
    private readonly jobs: Job[],
    private readonly failed: (error: Unreachable | Refusal) => void,
  ) {}

  /** Looks after whatever is out of date until everything is up to date. */
  async start(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      for (let job = this.next(); job; job = this.next()) await this.look(job);
    } finally {
      this.running = false;
    }
  }

  /** Gives up what is under way: something else matters more now. */
  interrupt(): void {
    this.controller?.abort();
  }

  /** Forgets that a job, or all of them, were done. */
  forget(name?: string): void {
    if (name) this.done.delete(name);
    else this.done.clear();
  }

  /** Whether everything wanted is up to date. */
  get idle(): boolean {
    return !this.running && this.next() === undefined;
  }

  private next(): Job | undefined {
    const { state } = this.store;
    if (state.connection !== "online") return undefined;
    const open = (job: Job) => !job.atRest || resting(state);
    return this.jobs.find((job) => open(job) && job.key(state) !== (this.done.get(job.name) ?? null));
  }

  private async look(job: Job): Promise<void> {
    const { state } = this.store;
    const key = job.key(state);
    if (key === null) {
      this.done.delete(job.name);
      this.store.set(job.none);
      this.store.problem(job.name, null);
      return;
    }
    this.controller = new AbortController();
    const { signal } = this.controller;
    try {
      const patch = await job.run(state, signal);
      if (this.store.state.model !== state.model) return;
      this.done.set(job.name, key);
      this.store.set(patch);
      this.store.problem(job.name, null);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refusal && error.kind === "no_state") {
        this.done.delete("encode");
      } else if (error instanceof Refusal && error.status !== 401 && error.status !== 403) {
        this.done.set(job.name, key);
        this.store.set(job.none);
        this.store.problem(job.name, error.message);
      } else if (error instanceof Unreachable || error instanceof Refusal) {
        this.failed(error);
      } else {
        throw error;
      }
    }
  }
}
