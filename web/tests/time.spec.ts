// Time: the slider, straight to a time, play.

import { expect, gap, test } from "./page";

test("the slider decodes the same state at other times", async ({ twin, page }) => {
  const { end } = (await twin.models())[0].times;
  const encodings: string[] = [];
  page.on("request", (request) => request.url().endsWith("/encode") && encodings.push(request.url()));
  await page.locator("#time").focus();
  await page.keyboard.press("End");
  await expect.poll(async () => (await twin.request()).times[0]).toBe(end);
  const last = (await twin.table()).rows.map((row) => row[3]);
  expect(gap(last, await twin.answer())).toBeLessThan(1e-5);
  await page.locator("#straight").fill(String(end / 4));
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await twin.request()).times[0]).toBe(end / 4);
  const early = (await twin.table()).rows.map((row) => row[3]);
  expect(gap(early, await twin.answer())).toBeLessThan(1e-5);
  expect(gap(early, last)).toBeGreaterThan(1e-3);
  expect(encodings).toEqual([]);
});

test("times outside the trained range are refused where they are typed", async ({ twin, page }) => {
  const before = (await twin.request()).times;
  await page.locator("#straight").fill("99");
  await page.keyboard.press("Enter");
  expect(await page.locator("#straight").evaluate((input: HTMLInputElement) => input.validationMessage)).toContain("From 0");
  expect((await twin.request()).times).toEqual(before);
});

test("play runs to the end and stops there", async ({ twin, page }) => {
  const { end } = (await twin.models())[0].times;
  await page.locator("#straight").fill(String(0.7 * end));
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Play" }).click();
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();
  expect((await twin.request()).times).toEqual([end]);
  expect(gap((await twin.table()).rows.map((row) => row[3]), await twin.answer())).toBeLessThan(1e-5);
});

test("readings at another time are the truth then", async ({ twin, page, server }) => {
  const { end } = (await twin.models())[0].times;
  await page.locator("#start").fill(String(end / 2));
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await twin.request()).s).toBe(end / 2);
  const { sensors, values, times } = await twin.request();
  expect(times[0]).toBeGreaterThanOrEqual(end / 2);
  const truth = await fetch(`${server.url}v1/models/${(await twin.models())[0].name}/truth?times=${end / 2}&grid=256x256`).then((response) => response.json());
  const nearest = sensors.map(([x, y]) => truth.values[(Math.round(x * 256) % 256) * 256 + (Math.round(y * 256) % 256)]);
  expect(gap(values.map(([value]) => value), nearest)).toBeLessThan(0.03);
  expect(gap((await twin.table()).rows.map((row) => row[3]), await twin.answer())).toBeLessThan(1e-5);
});
