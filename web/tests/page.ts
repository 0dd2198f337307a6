// The page as tests see it: opened, at rest, and asked what it shows.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { test as base, expect, type Locator, type Page } from "@playwright/test";
import { serve, type Kind, type TestServer } from "./server";

export { expect };
/** Runs a program; the server may live in this process, so it must not wait. */
const run = promisify(execFile);

export interface Table {
  columns: string[];
  rows: number[][];
}

/** What a test works with. Whatever the browser complains about fails the test, unless it is allowed. */
export const test = base.extend<{ kind: Kind; allowed: RegExp | null; server: TestServer; twin: Twin }>({
  kind: ["demo", { option: true }],
  allowed: [null, { option: true }],
  server: async ({ kind }, use) => {
    const server = await serve(kind);
    await use(server);
    await server.stop().catch(() => {});
  },
  twin: async ({ page, server, kind, allowed }, use) => {
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url) && !/^(blob|data):/.test(request.url())) complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(server.url);
    const twin = new Twin(page, server.url);
    await twin.settled();
    if (kind !== "demo") await twin.open(kind);
    await use(twin);
    expect(complaints.filter((text) => !allowed?.test(text))).toEqual([]);
  },
});

export class Twin {
  constructor(
    readonly page: Page,
    readonly url: string,
  ) {}

  /** Waits until everything shown is up to date. */
  async settled(): Promise<void> {
    await this.page.waitForFunction(() => document.documentElement.dataset.settled === "true");
  }

  /** Chooses the first model with one axis, or without time. */
  async open(kind: "flat" | "steady"): Promise<void> {
    const fits = ({ dimension, times }: { dimension: number; times: unknown }) => (kind === "flat" ? dimension === 1 : times === null);
    await this.page.selectOption("#model", (await this.models()).find(fits)!.name);
    await this.settled();
  }

  async models(): Promise<{ name: string; dimension: number; truth: boolean; bands: boolean; example: object | null; times: { end: number } }[]> {
    return (await (await fetch(`${this.url}v1/models`)).json()).models;
  }

  canvas(view = "forecast"): Locator {
    return this.page.locator(`canvas[data-view=${view}]`);
  }

  card(title: string): Locator {
    return this.page.locator("details.card", { has: this.page.getByRole("heading", { name: title, exact: true }) });
  }

  /** The text of a command; the card with it is opened if needed. */
  async command(name: "curl" | "lto"): Promise<string> {
    await this.settled();
    const card = this.card("Take it with you");
    if (!(await card.evaluate((one: HTMLDetailsElement) => one.open))) await card.locator("summary").click();
    const text = this.page.locator(`pre[data-command=${name}]`);
    await expect(text).not.toBeEmpty();
    return text.innerText();
  }

  /** What the curl command sends. */
  async request(): Promise<{ sensors: number[][]; values: number[][]; s: number; times: number[]; query: { grid: number[] } }> {
    return JSON.parse((await this.command("curl")).match(/-d '(.*)'$/s)![1]);
  }

  /** What the server says to the curl command, which is run as it stands. */
  async answer(): Promise<number[]> {
    const command = await this.command("curl");
    return JSON.parse((await run("bash", ["-c", command], { maxBuffer: 1 << 28 })).stdout).values;
  }

  /** The field on the screen, as the page exports it. */
  async table(): Promise<Table> {
    await this.command("curl");
    const [columns, ...rows] = readFileSync(await this.exported("CSV"), "utf8").trim().split("\n").map((line) => line.split(","));
    return { columns, rows: rows.map((row) => row.map(Number)) };
  }

  /** Where an exported file is. */
  async exported(suffix: string): Promise<string> {
    const [download] = await Promise.all([this.page.waitForEvent("download"), this.page.getByRole("button", { name: suffix, exact: true }).click()]);
    return download.path();
  }

  /** The pixel of a place of the unit square: the picture's frame is read off the axes' pixels. */
  async pixel(place: number[], view = "forecast"): Promise<{ x: number; y: number }> {
    const box = (await this.canvas(view).boundingBox())!;
    const picture = JSON.parse((await this.canvas(view).getAttribute("data-picture"))!);
    const { lower, upper } = picture as { lower: number[]; upper: number[] };
    const [u, v] = place.map((x, d) => (x - lower[d]) / (upper[d] - lower[d]));
    return { x: box.x + picture.left + u * picture.width, y: box.y + picture.top + (1 - v) * picture.height };
  }

  /** The color on the screen at a pixel. */
  async color({ x, y }: { x: number; y: number }): Promise<number[]> {
    return this.canvas().evaluate((canvas: HTMLCanvasElement, at) => {
      const box = canvas.getBoundingClientRect();
      const ratio = canvas.width / box.width;
      const one = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d")!;
      one.drawImage(canvas, Math.floor((at.x - box.left) * ratio), Math.floor((at.y - box.top) * ratio), 1, 1, 0, 0, 1, 1);
      return [...one.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    }, { x, y });
  }
}

/** The largest difference of two lists of numbers of the same length. */
export function gap(a: number[], b: number[]): number {
  expect(a.length).toBe(b.length);
  return a.reduce((largest, value, k) => Math.max(largest, Math.abs(value - b[k])), 0);
}
