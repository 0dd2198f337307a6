// What is on the screen as commands: the same request by curl, the same prediction by lto.

import type { Api } from "./api";
import { gridOf, FINE, timesOf } from "./lattices";
import { readings } from "./jobs";
import { readingNames, type Model } from "./model";
import { reading, speaking, type Sensor } from "./sensors";
import type { State } from "./store";

/** What is shown: times and grid. */
function shown({ model, s, t }: State): { times: number[]; grid: number[] } {
  const times = model!.dimension === 1 ? timesOf(model!, s, FINE) : model!.times ? [t] : [];
  return { times, grid: gridOf(model!, FINE) };
}

/** The sensors that speak, as a file for `lto predict`. Numbers read back exactly. */
export function sensorsCsv(model: Model, sensors: Sensor[]): string {
  const rows = speaking(sensors).map((one) => [...one.place, ...reading(model, one)].join(","));
  return `${[...model.axes, ...readingNames(model)].join(",")}\n${rows.join("\n")}\n`;
}

export function curlCommand(state: State, api: Api): string {
  const { model, sensors, s, band, views } = state;
  const { times, grid } = shown(state);
  const body = {
    ...readings(model!, sensors, s), times, query: { grid },
    ...(model!.bands && views.includes("band") && { band }), ...(hasTwins(sensors) && { merge_duplicates: true }),
  };
  const url = new URL(`v1/models/${encodeURIComponent(model!.name)}/predict`, api.root);
  const token = api.token ? ` -H "authorization: Bearer $LTO_TOKEN"` : "";
  return `curl -sS '${url}' -H 'content-type: application/json'${token} \\\n  -d '${JSON.stringify(body)}'`;
}

export function ltoCommand(state: State): string {
  const { model, sensors, s, band, views } = state;
  const { times, grid } = shown(state);
  const named = model!.source_channels === model!.channels.length ? "" : ` --column ${readingNames(model!).join(",")}`;
  const when = model!.times ? ` --from ${s} --to ${times.join(",")}` : "";
  const bands = model!.bands && views.includes("band") ? ` --band ${band}` : "";
  const twins = hasTwins(sensors) ? " --merge-duplicates" : "";
  const run = model!.run === undefined ? "" : ` --model '${model!.run}'`;
  return `cat > sensors.csv <<'END'\n${sensorsCsv(model!, sensors)}END\nlto predict${run} --context sensors.csv${named}${when} --query grid:${grid.join("x")}${bands}${twins} -o field.npz`;
}

function hasTwins(sensors: Sensor[]): boolean {
  const heard = speaking(sensors);
  return new Set(heard.map((one) => one.place.join(","))).size < heard.length;
}
