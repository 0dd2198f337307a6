// Pointers on a panel: drag a sensor, click for profiles, double click for a new sensor.

import type { Actions } from "./actions";
import { valueAt } from "./field";
import { holds, pixelAt, placeAt } from "./frame";
import { radiusOf, spotOf } from "./marks";
import { format } from "./numbers";
import type { Panel } from "./panel";
import { ORIGINS, reading, type Sensor } from "./sensors";
import type { Store } from "./store";

/** How far from its center a sensor can be taken, by mouse and by finger. */
const REACH = { mouse: 6, touch: 16 };
/** A pointer that moves less than this has clicked. */
const SLIP = 4;

export function listen(panel: Panel, store: Store, actions: Actions): void {
  const { canvas } = panel;
  let dragged: { id: number; offset: [number, number] } | null = null;
  let pressed: [number, number] | null = null;

  const pixel = (event: { clientX: number; clientY: number }): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const placeOf = ([x, y]: [number, number]): number[] => {
    const place = placeAt(panel.frame, panel.lattice!, x, y);
    return store.state.model!.dimension === 1 ? [place[0]] : place;
  };
  const nearest = ([x, y]: [number, number], finger: boolean): { one: Sensor; spot: [number, number] } | null => {
    if (!panel.lattice) return null;
    const { sensors } = store.state;
    let best: { one: Sensor; spot: [number, number] } | null = null;
    let reach = radiusOf(sensors.length, panel.frame.picture.width) + (finger ? REACH.touch : REACH.mouse);
    for (const one of sensors) {
      const spot = pixelAt(panel.frame, panel.lattice, spotOf(store.state, one.place));
      const distance = Math.hypot(spot[0] - x, spot[1] - y);
      if (distance <= reach) [best, reach] = [{ one, spot }, distance];
    }
    return best;
  };
  const inPicture = ([x, y]: [number, number]) => panel.lattice !== null && holds(panel.frame.picture, x, y);

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const at = pixel(event);
    const found = nearest(at, event.pointerType !== "mouse");
    pressed = at;
    if (!found) return;
    canvas.setPointerCapture(event.pointerId);
    dragged = { id: found.one.id, offset: [found.spot[0] - at[0], found.spot[1] - at[1]] };
    actions.select(found.one.id);
  });

  canvas.addEventListener("pointermove", (event) => {
    const at = pixel(event);
    if (dragged && pressed) {
      if (store.state.gesture?.kind !== "sensor" && Math.hypot(at[0] - pressed[0], at[1] - pressed[1]) < SLIP) return;
      actions.begin("sensor");
      actions.move(dragged.id, placeOf([at[0] + dragged.offset[0], at[1] + dragged.offset[1]]));
      return;
    }
    const found = nearest(at, event.pointerType !== "mouse");
    canvas.style.cursor = found ? "grab" : inPicture(at) ? "crosshair" : "default";
    panel.tell(found ? sensorWords(store, found.one) : inPicture(at) ? placeWords(at) : "");
  });

  const placeWords = ([x, y]: [number, number]): string => {
    const { model } = store.state;
    const place = placeAt(panel.frame, panel.lattice!, x, y);
    const field = panel.view.field(store.state);
    const names = model!.dimension === 1 ? [model!.axes[0], "t"] : model!.axes;
    const value = field ? ` · ${format(valueAt(field, place[0], place[1]))}` : "";
    return `${names[0]} ${format(place[0])} · ${names[1]} ${format(place[1])}${value}`;
  };

  const release = (event: PointerEvent) => {
    const at = pixel(event);
    const clicked = pressed !== null && Math.hypot(at[0] - pressed[0], at[1] - pressed[1]) < SLIP;
    if (store.state.gesture?.kind === "sensor") actions.rest();
    else if (event.type === "pointerup" && clicked && !dragged && inPicture(at)) {
      const place = placeAt(panel.frame, panel.lattice!, at[0], at[1]);
      store.set({ probe: placeOf(at), selected: null });
      if (store.state.model!.dimension === 1) actions.setTime(place[1]);
    }
    [dragged, pressed] = [null, null];
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => panel.tell(""));

  canvas.addEventListener("dblclick", (event) => {
    const at = pixel(event);
    if (inPicture(at) && !nearest(at, false)) actions.add(placeOf(at));
  });

  // A finger on a sensor moves it; anywhere else it scrolls the page.
  canvas.addEventListener("touchstart", (event) => {
    const touch = event.touches[0];
    if (touch && nearest(pixel(touch), true)) event.preventDefault();
  }, { passive: false });
}

/** A sensor in words. */
export function sensorWords(store: Store, one: Sensor): string {
  const { model, sensors } = store.state;
  const number = sensors.indexOf(one) + 1;
  const place = one.place.map((x, d) => `${model!.axes[d]} ${format(x)}`).join(" · ");
  const says = reading(model!, one).map((value) => format(value)).join(", ");
  return `Sensor ${number} · ${place} · ${one.silent ? "silenced" : `says ${says}, ${ORIGINS[one.origin].title}`}`;
}
