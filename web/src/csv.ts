// A CSV file of sensors: rows that can be used, and for each other row its line and what is wrong with it.

import { inside, readingNames, type Model } from "./model";
import { format } from "./numbers";
import { deviation } from "./sensors";

export interface Rows {
  rows: { place: number[]; values: number[] }[];
  errors: { line: number; text: string }[];
}

/** Values further from the mean than this many deviations mean wrong units or a marker for missing values. */
const OUTLYING = 8;
const MISSING = new Set(["", "nan", "na", "null"]);

/** Columns named like the axes are coordinates, those named like the channels are readings; with a column t or time, rows at s count. */
export function readSensors(text: string, model: Model, s: number): Rows {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const errors: Rows["errors"] = [];
  const head = lines.findIndex((line) => line.trim() !== "");
  if (head < 0) return { rows: [], errors: [{ line: 1, text: "The file is empty." }] };
  const separator = lines[head].includes(",") ? "," : lines[head].includes(";") ? ";" : ",";
  const names = cells(lines[head], separator).map((name) => name.toLowerCase());
  const column = (name: string) => names.indexOf(name.toLowerCase());
  const wanted = [...model.axes, ...readingNames(model)];
  const columns = wanted.map(column);
  const absent = wanted.filter((_, k) => columns[k] < 0);
  if (absent.length > 0) {
    const found = cells(lines[head], separator).join(", ");
    return { rows: [], errors: [{ line: head + 1, text: `No column ${absent.join(", ")}; the file has ${found}. Columns are named after the axes (${model.axes.join(", ")}) and readings (${readingNames(model).join(", ")}).` }] };
  }
  const time = model.times ? Math.max(column("t"), column("time")) : -1;
  const rows: Rows["rows"] = [];
  const seen = new Map<string, number>();
  for (let k = head + 1; k < lines.length; k++) {
    if (lines[k].trim() === "") continue;
    const line = k + 1;
    const row = cells(lines[k], separator);
    if (row.length !== names.length) {
      errors.push({ line, text: `${row.length} cells where the header has ${names.length}.` });
      continue;
    }
    if (time >= 0 && !(Math.abs(Number(row[time]) - s) <= 1e-9 * Math.max(1, Math.abs(s)))) {
      if (!Number.isFinite(Number(row[time]))) errors.push({ line, text: `${names[time]} is “${row[time]}”, not a number.` });
      continue;
    }
    const numbers = columns.map((c) => Number(row[c]));
    const wrong = columns.findIndex((c, i) => MISSING.has(row[c].toLowerCase()) || !Number.isFinite(numbers[i]));
    if (wrong >= 0) {
      const cell = row[columns[wrong]];
      errors.push({ line, text: MISSING.has(cell.toLowerCase()) ? `${wanted[wrong]} is missing.` : `${wanted[wrong]} is “${cell}”, not a number.` });
      continue;
    }
    const [place, values] = [numbers.slice(0, model.dimension), numbers.slice(model.dimension)];
    const text = refusal(model, place, values);
    const at = inside(model, place);
    const twin = seen.get(at.join(","));
    if (text) errors.push({ line, text });
    else if (twin !== undefined) errors.push({ line, text: `Stands where line ${twin} stands.` });
    else {
      seen.set(at.join(","), line);
      rows.push({ place: at, values });
    }
  }
  if (rows.length === 0 && errors.length === 0) errors.push({ line: head + 1, text: time >= 0 ? `No row has ${names[time]} = ${s}.` : "There are no rows." });
  return { rows, errors };
}

/** Why a sensor cannot be used: outside the domain, or unlike anything the model has seen. */
function refusal(model: Model, place: number[], values: number[]): string | null {
  const { lower, upper, periodic } = model.domain;
  const out = place.findIndex((x, d) => !periodic[d] && (x < lower[d] || x > upper[d]));
  if (out >= 0) return `${model.axes[out]} = ${place[out]} is outside the domain, ${format(lower[out])} to ${format(upper[out])}.`;
  if (model.source_channels !== model.channels.length) return null;
  const far = values.findIndex((value, c) => Math.abs(value - model.range.mean[c]) > OUTLYING * deviation(model, c));
  if (far < 0) return null;
  return `${model.channels[far].name} = ${values[far]} is more than ${OUTLYING} deviations from the training data (${format(model.range.mean[far])} ± ${format(deviation(model, far))}).`;
}

function cells(line: string, separator: string): string[] {
  return line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
}
