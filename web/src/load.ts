// Files of the user's own sensors: dropped anywhere or chosen, then read, with what is wrong line by line.

import type { Actions } from "./actions";
import { readSensors, type Rows } from "./csv";
import { h, say } from "./dom";
import type { Store } from "./store";

/** Lines of complaints that are shown. */
const SHOWN = 50;

export class Loader {
  private readonly input = h("input", { type: "file", accept: ".csv,.txt,text/csv,text/plain", hidden: true, "aria-label": "File of sensors" });
  private readonly veil = h("div", { className: "veil", hidden: true }, h("p", {}, "Drop a CSV file of sensors"));
  private readonly title = h("h2", {});
  private readonly complaints = h("ol", { className: "complaints" });
  private readonly use = h("button", { type: "button", className: "primary" });
  private readonly dialog: HTMLDialogElement;
  private pending: Rows | null = null;

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly announce: (text: string) => void,
  ) {
    const close = h("button", { type: "button", autofocus: true, onclick: () => this.dialog.close() }, "Cancel");
    this.dialog = h("dialog", { className: "load", "aria-label": "What is wrong with the file" }, this.title, h("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Complaints" }, this.complaints), h("div", { className: "buttons" }, close, this.use));
    this.use.addEventListener("click", () => this.take());
    this.input.addEventListener("change", () => this.input.files?.[0] && this.read(this.input.files[0]));
    document.body.append(this.input, this.veil, this.dialog);
    addEventListener("dragover", (event) => {
      event.preventDefault();
      this.veil.hidden = false;
    });
    addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) this.veil.hidden = true;
    });
    addEventListener("drop", (event) => {
      event.preventDefault();
      this.veil.hidden = true;
      const file = event.dataTransfer?.files[0];
      if (file) this.read(file);
    });
  }

  choose(): void {
    this.input.value = "";
    this.input.click();
  }

  private async read(file: File): Promise<void> {
    const { model, s } = this.store.state;
    if (!model) return;
    this.pending = readSensors(await file.text(), model, s);
    const { rows, errors } = this.pending;
    if (errors.length === 0) return this.take();
    say(this.title, `${file.name}: ${rows.length === 0 ? "nothing can be used" : `${errors.length} ${errors.length === 1 ? "line" : "lines"} cannot be used`}`);
    const shown = errors.slice(0, SHOWN).map(({ line, text }) => h("li", {}, h("strong", {}, `Line ${line}`), ` ${text}`));
    if (errors.length > SHOWN) shown.push(h("li", {}, `and ${errors.length - SHOWN} more`));
    this.complaints.replaceChildren(...shown);
    this.use.hidden = rows.length === 0;
    say(this.use, `Use the ${rows.length} good ${rows.length === 1 ? "line" : "lines"}`);
    this.dialog.showModal();
  }

  private take(): void {
    if (!this.pending) return;
    this.dialog.close();
    this.actions.load(this.pending.rows);
    this.announce(`${this.pending.rows.length} sensors loaded.`);
  }
}
