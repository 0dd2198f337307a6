// What is on the screen, to take away: files of the field, and the commands that make it again.

import type { Api } from "./api";
import { curlCommand, ltoCommand } from "./commands";
import { card, h, say } from "./dom";
import { EXPORTERS } from "./export";
import type { Panel } from "./panel";
import { resting, type State, type Store } from "./store";

/** Letters of a command that are shown; all of it is copied. */
const SHOWN = 6000;

export class TakeAway {
  readonly root: HTMLDetailsElement;
  private readonly files: HTMLButtonElement[];
  private readonly commands: { text: HTMLElement; make: (state: State) => string }[];

  constructor(
    store: Store,
    api: Api,
    panels: () => Panel[],
    announce: (text: string) => void,
  ) {
    this.files = EXPORTERS.map(({ suffix, title, run }) => h("button", { type: "button", title, onclick: () => run(store.state, panels()) }, suffix.toUpperCase()));
    const command = (name: string, make: (state: State) => string) => {
      const text = h("code", {});
      const copy = h("button", { type: "button", className: "quiet", "aria-label": `Copy the ${name} command` }, "Copy");
      copy.addEventListener("click", async () => {
        await navigator.clipboard.writeText(make(store.state));
        announce(`The ${name} command is copied.`);
      });
      const box = h("div", { className: "command" }, h("div", { className: "command-head" }, h("h3", {}, name), copy), h("pre", { tabIndex: 0, "data-command": name, "aria-label": `${name} command` }, text));
      return { box, entry: { text, make } };
    };
    const [curl, lto] = [command("curl", (state) => curlCommand(state, api)), command("lto", ltoCommand)];
    this.commands = [curl.entry, lto.entry];
    this.root = card("Take it with you", false, h("p", { className: "hint" }, "The field on the screen as a file, and the commands that give it again."), h("div", { className: "buttons" }, ...this.files), curl.box, lto.box);
    this.root.addEventListener("toggle", () => this.show(store.state));
    store.subscribe((state) => this.show(state));
  }

  private show(state: State): void {
    const ready = state.model !== null && state.forecast !== null;
    for (const button of this.files) button.disabled = !ready;
    if (!ready || !this.root.open || !resting(state)) return;
    for (const { text, make } of this.commands) {
      const whole = make(state);
      say(text, whole.length > SHOWN ? `${whole.slice(0, SHOWN)}…` : whole);
    }
  }
}
