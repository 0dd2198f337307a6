// The newest readings that the server gets, followed as they come.

import type { Actions } from "./actions";
import { Refusal, Unreachable, type Api } from "./api";
import { h, say } from "./dom";
import { format } from "./numbers";
import type { State, Store } from "./store";

/** A switch. Whoever changes a sensor looks at something else than the newest readings, so that switches it off. */
export class Live {
  readonly root: HTMLElement;
  private readonly button = h("button", { type: "button", id: "live", className: "chip", title: "Follow the readings that are sent to the server", "aria-pressed": "false", onclick: () => this.actions.setLive(this.store.state.live === "off") }, "Live");
  private readonly said = h("span", { className: "hint" });
  private stream: AbortController | null = null;
  private following = false;

  /** `lost` is called when the server cannot be reached, or wants a token. */
  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly api: Api,
    private readonly lost: (error: Unreachable | Refusal) => void,
  ) {
    this.root = h("div", { className: "field-row" }, this.button, this.said);
    store.subscribe((state, changed) => this.hear(state, changed), true);
  }

  private hear({ live, connection, model, s }: State, changed: Set<keyof State>): void {
    if (changed.has("sensors") && live !== "off" && !this.following) return this.store.set({ live: "off" });
    if (changed.has("live") || changed.has("s")) {
      this.button.setAttribute("aria-pressed", String(live !== "off"));
      say(this.said, { off: "", waiting: "waiting for readings", on: model?.times ? `readings of ${format(s, 4)}` : "newest readings" }[live]);
    }
    const wanted = live !== "off" && connection === "online" && model !== null;
    if (!wanted || changed.has("model")) {
      this.stream?.abort();
      this.stream = null;
    }
    if (wanted && !this.stream) void this.follow();
  }

  private async follow(): Promise<void> {
    const stream = (this.stream = new AbortController());
    try {
      for await (const readings of this.api.observed(this.store.state.model!, stream.signal)) {
        if (stream.signal.aborted) return;
        this.following = true;
        this.actions.follow(readings);
        this.following = false;
      }
      throw new Unreachable("The stream has ended.");
    } catch (error) {
      if (stream.signal.aborted) return;
      this.stream = null;
      if (error instanceof Unreachable || (error instanceof Refusal && error.status < 404)) return this.lost(error);
      this.actions.setLive(false);
      say(this.said, (error as Error).message);
    }
  }
}
