// What has happened, for those who listen instead of look: said when things rest, not while they move.

import { h, say } from "./dom";
import { sensorWords } from "./gestures";
import { format, percent } from "./numbers";
import { resting, type Store } from "./store";
import { errorOf } from "./views";

/** Milliseconds of rest before something is said. */
const PAUSE = 500;

export function announcer(store: Store): { root: HTMLElement; announce: (text: string) => void } {
  const root = h("div", { className: "spoken", role: "status", "aria-live": "polite" });
  let timer = 0;
  store.subscribe((state, changed) => {
    const { sensors, selected, forecast, t, model } = state;
    const moved = changed.has("sensors") || changed.has("selected") || changed.has("forecast") || changed.has("gesture");
    if (!moved || !resting(state) || !model || !forecast) return;
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      const one = sensors.find((one) => one.id === selected);
      const error = errorOf(state);
      const parts = [one && sensorWords(store, one), model.times && `Forecast at time ${format(t)}`, error !== null && `${percent(error)} off the truth`];
      say(root, `${parts.filter(Boolean).join(". ")}.`);
    }, PAUSE);
  });
  return { root, announce: (text) => say(root, text) };
}
