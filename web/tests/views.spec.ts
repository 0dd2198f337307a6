// Views side by side, profiles, advice, the certificate, one-dimensional twins.

import { expect, gap, test } from "./page";

test("truth and difference stand beside the forecast, with the error between them", async ({ twin, page, server }) => {
  await page.click("#view-truth");
  await page.click("#view-difference");
  await expect(twin.canvas("truth")).toBeVisible();
  await expect(twin.canvas("difference")).toBeVisible();
  await twin.settled();
  const { times, query } = await twin.request();
  const route = `${server.url}v1/models/${(await twin.models())[0].name}/truth?times=${times[0]}&grid=${query.grid.join("x")}`;
  const truth: number[] = (await (await fetch(route)).json()).values;
  const shown = (await twin.table()).rows.map((row) => row[3]);
  const norm = (values: number[]) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  const error = (100 * norm(shown.map((value, k) => value - truth[k]))) / norm(truth);
  const text = await page.locator("section[aria-label=Forecast] .figure").innerText();
  expect(Math.abs(Number(text.split(" ")[0]) - error)).toBeLessThan(0.06 * error);
});

test("contours, band and certificate can be shown", async ({ twin, page }) => {
  const plain = await twin.canvas().evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  await page.click("#contours");
  await expect.poll(() => twin.canvas().evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL())).not.toBe(plain);
  const { bands } = (await twin.models())[0];
  if (bands) {
    await page.click("#view-band");
    await expect(page.locator("section[aria-label='Band width'] .figure")).toContainText("90 % band");
  }
  await page.click("#view-bound");
  await expect(page.locator("section[aria-label=Certificate] .figure")).toContainText("at most");
  const worst = async () => Number((await page.locator("section[aria-label=Certificate] .figure").innerText()).split(" ").at(-1));
  const first = await worst();
  const curvature = Number(await page.locator("#curvature").inputValue());
  await page.locator("#curvature").fill(String(2 * curvature));
  await page.keyboard.press("Tab");
  await expect.poll(worst).toBeGreaterThan(first);
});

test("a click shows profiles through that place", async ({ twin, page }) => {
  const at = await twin.pixel([0.52, 0.53]);
  await page.mouse.click(at.x, at.y);
  await expect(page.locator(".probe")).toContainText("x = 0.5");
  await twin.settled();
  await expect(page.getByRole("img", { name: "Values along x through the probe" })).toBeVisible();
  await expect(page.getByRole("img", { name: "Values over time at the probe" })).toBeVisible();
  await page.getByRole("radio", { name: "along y" }).click();
  await expect(page.getByRole("img", { name: "Values along y through the probe" })).toBeVisible();
});

test("the next sensor is placed with one click where the server says", async ({ twin, page }) => {
  const before = await twin.request();
  const told = page.waitForResponse((response) => response.url().endsWith("/design"));
  await page.getByRole("button", { name: "Place it" }).click();
  const after = await twin.request();
  expect(after.sensors.length).toBe(before.sensors.length + 1);
  await told;
  await page.getByRole("button", { name: "Show it" }).click().catch(() => {});
  await expect(page.getByText("matters", { exact: false }).first()).toBeVisible();
});

test.describe("one dimension", () => {
  test.use({ kind: "flat" });

  test("a space–time picture and the state at t; a dot sets place and reading", async ({ twin, page }) => {
    await page.getByLabel("keeps its reading").check();
    const before = await twin.request();
    const { rows } = await twin.table();
    expect(before.times.length).toBeGreaterThan(32);
    const shown = rows.map((row) => row[2]);
    expect(gap(shown, await twin.answer())).toBeLessThan(1e-4);
    const dot = page.locator(".line-plot circle").nth(2);
    const box = (await dot.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 4, box.y + box.height / 2 + 25, { steps: 5 });
    await page.mouse.up();
    const after = await twin.request();
    const changed = after.values.filter(([value], k) => value !== before.values[k][0]);
    expect(changed.length).toBe(1);
    const now = (await twin.table()).rows.map((row) => row[2]);
    expect(gap(now, await twin.answer())).toBeLessThan(1e-4);
    expect(gap(now, shown)).toBeGreaterThan(1e-3);
  });
});

test.describe("without time", () => {
  test.use({ kind: "steady" });

  test("there is no slider, and readings are other things than the field", async ({ twin, page }) => {
    test.skip((await twin.models()).every(({ times, example }) => times !== null || example === null), "no example to show");
    await expect(page.locator("#time")).toBeHidden();
    const request = await twin.request();
    expect(request.s).toBeUndefined();
    expect(request.times).toEqual([]);
    const table = await twin.table();
    expect(table.columns.length).toBe(3);
    expect(gap(table.rows.map((row) => row[2]), await twin.answer())).toBeLessThan(1e-4);
    await expect(page.getByText("A sensor that is moved")).toBeHidden();
    await page.mouse.click(...Object.values(await twin.pixel([0.5, 0.52])) as [number, number]);
    await expect(page.getByRole("img", { name: "Values along x through the probe" })).toBeVisible();
  });
});
