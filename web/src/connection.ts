// The server comes and goes: says so, keeps everything, asks again, and goes on when it is back.

import { Refusal, Unreachable, type Api } from "./api";
import { h, say } from "./dom";
import type { Model } from "./model";
import type { Store } from "./store";

/** Milliseconds between questions to a server that does not answer. */
const RETRY = 1500;

export class ConnectionWatch {
  readonly banner = h("div", { className: "banner", role: "alert", hidden: true });
  private readonly dialog: HTMLDialogElement;
  private readonly token = h("input", { type: "password", id: "token", autocomplete: "off" });
  private timer = 0;

  /** `opened` gets the models, `back` is called whenever the server can be asked again. */
  constructor(
    private readonly store: Store,
    private readonly api: Api,
    private readonly opened: (models: Model[]) => void,
    private readonly back: () => void,
  ) {
    const form = h("form", { method: "dialog" }, h("h2", {}, "This server wants a token"), h("label", { for: "token" }, "Token"), this.token, h("div", { className: "buttons" }, h("button", { type: "submit", className: "primary" }, "Open")));
    form.addEventListener("submit", () => {
      api.token = this.token.value;
      this.connect();
    });
    this.dialog = h("dialog", { className: "token", "aria-label": "Token" }, form);
    document.body.append(this.dialog);
    store.subscribe(({ connection, model }) => {
      this.banner.hidden = connection !== "offline";
      say(this.banner, connection !== "offline" ? "" : model ? "The server does not answer. The picture is the last forecast; your sensors are kept. Asking again…" : "The server does not answer. Asking again…");
      document.documentElement.dataset.connection = connection;
    });
  }

  /** Asks for the models, and again as long as nobody answers. */
  async connect(): Promise<void> {
    clearTimeout(this.timer);
    try {
      const models = await this.api.models();
      const known = this.store.state.model;
      const same = models.find((model) => model.name === known?.name);
      this.store.set({ connection: "online", models });
      if (!known || !same) this.opened(models);
      this.back();
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof Refusal)) throw error;
      this.lost(error);
    }
  }

  /** A request has failed: ask for a token, or wait for the server. */
  lost(error: Unreachable | Refusal): void {
    if (error instanceof Refusal && (error.status === 401 || error.status === 403)) {
      this.store.set({ connection: "locked" });
      if (!this.dialog.open) this.dialog.showModal();
      return;
    }
    this.store.set({ connection: "offline", playing: false });
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.connect(), RETRY);
  }
}
