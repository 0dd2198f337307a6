// Time: a slider from s to the end of the trained range, play, and straight to any time.

import type { Actions } from "./actions";
import { h, say } from "./dom";
import { icon } from "./icons";
import { format, ticks } from "./numbers";
import type { State, Store } from "./store";

/** Seconds that the whole course takes to play. */
const COURSE = 6;
/** Moments of a played course; a forecast of each is asked for. */
const MOMENTS = 96;
/** Milliseconds after the last change of the slider until it rests. */
const REST = 250;

export class Timeline {
  readonly root: HTMLElement;
  private readonly slider = h("input", { type: "range", min: "0", max: "1", step: "any", "aria-label": "Time shown", id: "time" });
  private readonly marks = h("div", { className: "time-marks", "aria-hidden": "true" });
  private readonly playButton = h("button", { type: "button", className: "round", "aria-label": "Play" });
  private readonly start = h("input", { type: "number", step: "any", id: "start" });
  private readonly straight = h("input", { type: "number", step: "any", id: "straight", placeholder: "time" });
  private readonly shown = h("span", { className: "time-shown" });
  private timer = 0;
  private begun: { clock: number; t: number } | null = null;

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
  ) {
    this.playButton.append(icon("play"));
    this.playButton.addEventListener("click", () => this.play());
    this.slider.addEventListener("input", () => {
      store.set({ playing: false });
      actions.begin("time");
      actions.setTime(Number(this.slider.value));
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => actions.rest(), REST);
    });
    this.start.addEventListener("change", () => {
      const { times } = store.state.model!;
      const s = Number(this.start.value);
      if (times && this.start.value !== "" && s >= times.start && s < times.end) actions.setStart(s);
      else this.start.value = String(store.state.s);
    });
    const straight = h("form", { className: "straight", onsubmit: (event: Event) => this.goStraight(event) },
      h("label", { for: "straight" }, "straight to"), this.straight, h("button", { type: "submit" }, "Go"));
    const track = h("div", { className: "track" }, this.slider, this.marks);
    const from = h("div", { className: "from" }, h("label", { for: "start", title: "Time of the readings" }, "s ="), this.start);
    this.root = h("section", { className: "timeline", "aria-label": "Time" }, this.playButton, from, track, this.shown, straight);
    store.subscribe((state, changed) => this.show(state, changed));
  }

  /** Plays from the shown time, from the beginning if that is the end; or pauses. */
  play(): void {
    const { model, playing, t, s } = this.store.state;
    if (!model?.times) return;
    if (playing) return this.store.set({ playing: false });
    const first = t >= model.times.end ? s : t;
    this.begun = { clock: performance.now(), t: first };
    this.store.set({ playing: true, t: first });
    requestAnimationFrame(() => this.advance());
  }

  private advance(): void {
    const { model, playing, s } = this.store.state;
    if (!playing || !model?.times || !this.begun) return;
    const { end } = model.times;
    const moment = (end - s) / MOMENTS;
    const at = this.begun.t + ((performance.now() - this.begun.clock) / 1000 / COURSE) * (end - s);
    const t = s + Math.round((at - s) / moment) * moment;
    if (t >= end) return this.store.set({ t: end, playing: false });
    this.store.set({ t });
    requestAnimationFrame(() => this.advance());
  }

  private goStraight(event: Event): void {
    event.preventDefault();
    const t = Number(this.straight.value);
    const { model, s } = this.store.state;
    const fits = this.straight.value !== "" && model?.times && t >= s && t <= model.times.end;
    this.straight.setCustomValidity(fits ? "" : `From ${format(s)} to ${format(model?.times?.end ?? 0)}`);
    this.straight.reportValidity();
    if (!fits) return;
    this.store.set({ playing: false });
    this.actions.setTime(t);
  }

  private show({ model, s, t, playing }: State, changed: Set<keyof State>): void {
    const times = model?.times;
    this.root.hidden = !times;
    if (!times) return;
    if (changed.has("model") || changed.has("s")) {
      this.slider.min = String(s);
      this.slider.max = String(times.end);
      this.start.value = String(s);
      this.start.min = String(times.start);
      const marks = ticks(s, times.end, 5).map(({ at, text }) => {
        const mark = h("span", {}, text);
        mark.style.left = `${(100 * (at - s)) / (times.end - s)}%`;
        return mark;
      });
      this.marks.replaceChildren(...marks);
    }
    this.straight.oninput = () => this.straight.setCustomValidity("");
    this.slider.value = String(t);
    this.slider.setAttribute("aria-valuetext", `time ${format(t, 4)}`);
    this.slider.style.setProperty("--share", String((t - s) / (times.end - s)));
    say(this.shown, `t = ${format(t, 4)}`);
    if (changed.has("playing")) {
      this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
      this.playButton.setAttribute("aria-label", playing ? "Pause" : "Play");
    }
  }
}
