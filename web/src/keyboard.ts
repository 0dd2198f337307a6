// Keys: what the pointer does, without one.

import type { Actions } from "./actions";
import type { Store } from "./store";

export const KEYS: [string, string][] = [
  ["N, P", "next, previous sensor"],
  ["Arrows", "move the selected sensor; with Shift in finer steps"],
  ["A", "add a sensor: at the probe, else where the next should go"],
  ["Delete", "remove the selected sensor"],
  ["S", "silence it, or let it speak again"],
  ["Enter", "type what it reads"],
  ["Space", "play, pause"],
  [", and .", "a step back, a step ahead in time"],
  ["C", "contour lines"],
  ["Ctrl Z", "take back the last change of the sensors"],
  ["Escape", "select nothing"],
  ["?", "this list"],
];

/** Share of the domain that an arrow key moves. */
const STEP = 0.02;
/** Milliseconds after the last key until the sensor rests. */
const REST = 350;

export function listenToKeys(store: Store, actions: Actions, parts: { add: () => void; play: () => void; edit: () => void; help: () => void }): void {
  let timer = 0;

  const nudge = (dx: number, dy: number, fine: boolean) => {
    const { model, sensors, selected } = store.state;
    const one = sensors.find((one) => one.id === selected);
    if (!model || !one) return actions.next(1);
    const { lower, upper } = model.domain;
    const size = fine ? STEP / 10 : STEP;
    actions.begin("sensor");
    actions.move(one.id, one.place.map((x, d) => x + [dx, dy][d] * size * (upper[d] - lower[d])));
    clearTimeout(timer);
    timer = window.setTimeout(() => actions.rest(), REST);
  };
  const step = (direction: 1 | -1) => {
    const { model, t, s } = store.state;
    if (!model?.times) return;
    actions.setTime(t + direction * (model.times.native_interval ?? (model.times.end - s) / 32));
  };
  const onSelected = (act: (id: number) => void) => {
    if (store.state.selected !== null) act(store.state.selected);
  };

  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing = target.closest("input, select, textarea, dialog, pre") !== null;
    if (!typing && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") return actions.undo();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const onPage = target === document.body || target instanceof HTMLCanvasElement || target.closest(".line-plot") !== null;
    const actionsByKey: Record<string, () => void> = {
      n: () => actions.next(1), p: () => actions.next(-1), a: parts.add, s: () => onSelected((id) => actions.silence(id)),
      c: () => store.set({ contours: !store.state.contours }), ",": () => step(-1), ".": () => step(1), "?": parts.help,
      escape: () => store.set({ selected: null, probe: null }), delete: () => onSelected((id) => actions.remove(id)),
      backspace: () => onSelected((id) => actions.remove(id)),
    };
    const onPageByKey: Record<string, () => void> = {
      arrowleft: () => nudge(-1, 0, event.shiftKey), arrowright: () => nudge(1, 0, event.shiftKey),
      arrowup: () => nudge(0, 1, event.shiftKey), arrowdown: () => nudge(0, -1, event.shiftKey), " ": parts.play,
      enter: parts.edit,
    };
    const key = event.key.toLowerCase();
    const act = actionsByKey[key] ?? (onPage ? onPageByKey[key] : undefined);
    if (!act) return;
    event.preventDefault();
    act();
  });
}
