// Puts the parts together.

import { Actions } from "./actions";
import { announcer } from "./announce";
import { Api } from "./api";
import { sensorsCsv } from "./commands";
import { ConnectionWatch } from "./connection";
import { h, save } from "./dom";
import { icon } from "./icons";
import { jobs } from "./jobs";
import { KEYS, listenToKeys } from "./keyboard";
import { Live } from "./live";
import { Loader } from "./load";
import type { Model } from "./model";
import { Moment } from "./moment";
import { format } from "./numbers";
import { Profile } from "./profile";
import { Pump } from "./pump";
import { SensorCard } from "./sensor_card";
import { Stage } from "./stage";
import { resting, Store } from "./store";
import { TakeAway } from "./takeaway";
import { themeButton } from "./theme";
import { Timeline } from "./timeline";
import { Trust } from "./trust";

const store = new Store();
const api = new Api();
const actions = new Actions(store);
const { root: spoken, announce } = announcer(store);

const stage = new Stage(store, actions, new Moment(store, actions));
const timeline = new Timeline(store, actions);
const trust = new Trust(store, actions);
const loader = new Loader(store, actions, announce);
const add = () => {
  const { model, probe } = store.state;
  if (model) actions.add(probe ?? trust.suggestion ?? model.domain.lower.map((x, d) => (x + model.domain.upper[d]) / 2));
};
const keep = () => {
  const { model, sensors } = store.state;
  if (model) save("sensors.csv", sensorsCsv(model, sensors), "text/csv");
};
const lost = (error: Parameters<ConnectionWatch["lost"]>[0]) => connection.lost(error);
const sensorCard = new SensorCard(store, actions, new Live(store, actions, api, lost).root, add, () => loader.choose(), keep);
const takeAway = new TakeAway(store, api, () => stage.shown, announce);

const help = h("dialog", { className: "help", "aria-label": "Keys" },
  h("h2", {}, "Keys"),
  h("dl", {}, ...KEYS.flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, text)])),
  h("form", { method: "dialog", className: "buttons" }, h("button", { type: "submit" }, "Close")));
listenToKeys(store, actions, { add, play: () => timeline.play(), edit: () => sensorCard.edit(), help: () => help.showModal() });

const chooser = h("select", { id: "model", "aria-label": "Model" });
chooser.addEventListener("change", () => {
  const model = store.state.models.find(({ name }) => name === chooser.value);
  if (model) actions.open(model);
});
const about = h("p", { className: "about" });
store.subscribe(({ models, model }, changed) => {
  if (!changed.has("models") && !changed.has("model")) return;
  chooser.replaceChildren(...models.map(({ name }) => h("option", { value: name, selected: name === model?.name }, name)));
  if (model) about.textContent = `${model.kind} · ${format(model.parameters, 6)} parameters`;
});

const header = h("header", {},
  h("h1", {}, h("img", { src: "icon.svg", alt: "", width: 24, height: 24 }), "Latent Twin"),
  chooser, about, stage.tools,
  h("button", { type: "button", className: "round quiet", "aria-label": "Keys", title: "Keys (?)", onclick: () => help.showModal() }, icon("keys")),
  themeButton(() => stage.draw()));

// Forecasts follow every gesture; what takes longer waits until it has ended.
const { quick, patient } = jobs(api);
const pumps = [new Pump(store, quick, lost), new Pump(store, patient, lost)];
/** Looks after what is out of date, and says when everything shown is up to date. */
const start = (pump: Pump) =>
  pump.start().finally(() => {
    document.documentElement.dataset.settled = String(resting(store.state) && pumps.every(({ idle }) => idle));
  });
const connection = new ConnectionWatch(store, api, (models: Model[]) => models[0] && actions.open(models[0]), () => {
  for (const pump of pumps) {
    pump.forget();
    start(pump);
  }
});
store.subscribe((state, changed) => {
  const begins = (changed.has("gesture") && state.gesture !== null) || changed.has("model");
  for (const pump of pumps) {
    if (begins) pump.interrupt();
    if (changed.has("model")) pump.forget();
    start(pump);
  }
}, true);

document.body.append(
  header, connection.banner,
  h("main", {}, h("div", { className: "center" }, stage.root, timeline.root),
    h("aside", { "aria-label": "Sensors, profiles, trust, files" }, sensorCard.root, new Profile(store).root, trust.root, takeAway.root)),
  spoken, help);
connection.connect();
