// Modules of the page depend downwards only, as ARCHITECTURE.md shows them.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";

/** Highest first. Modules of one layer do not know each other. */
const LAYERS = [
  ["main"],
  ["announce", "stage", "takeaway"],
  ["commands", "export", "gestures", "trust"],
  ["connection", "jobs", "keyboard", "live", "load", "moment", "panel", "profile", "sensor_card", "theme", "timeline"],
  ["actions", "marks", "pump", "views"],
  ["csv", "plot", "store"],
  ["api", "contours", "frame", "icons", "lattices", "painter", "sensors", "vti"],
  ["colormap", "dom", "field", "model", "npz", "numbers"],
];
const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));

test("modules depend downwards", () => {
  const level = new Map(LAYERS.flatMap((names, k) => names.map((name) => [name, k] as const)));
  const files = readdirSync(SOURCES).filter((file) => file.endsWith(".ts")).map((file) => file.slice(0, -3));
  expect(files.filter((name) => !level.has(name))).toEqual([]);
  for (const name of files) {
    const used = [...readFileSync(`${SOURCES}${name}.ts`, "utf8").matchAll(/from "\.\/(\w+)"/g)].map((match) => match[1]);
    expect(used.filter((other) => level.get(other)! <= level.get(name)!), name).toEqual([]);
  }
});

test("the documents show the same layers", () => {
  const document = readFileSync(fileURLToPath(new URL("../../ARCHITECTURE.md", import.meta.url)), "utf8");
  const shown = document.split("## Inside `web`")[1].split("```")[1].trim().split("\n");
  expect(shown.map((line) => line.split(/ {3,}/)[0].split(/ +/))).toEqual(LAYERS);
});
