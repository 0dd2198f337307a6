// Sensors that are moved, added, silenced, made noisy, removed; and what the field says to that.

import { colorOf, scaleOf } from "../src/colormap";
import { expect, gap, test } from "./page";

/** A place far from all sensors of the example, where a new one can be put. */
async function free(sensors: number[][]): Promise<number[]> {
  const places = Array.from({ length: 361 }, (_, k) => [0.05 + 0.05 * (k % 19), 0.05 + 0.05 * Math.floor(k / 19)]);
  const distance = (place: number[]) => Math.min(...sensors.map((sensor) => Math.hypot(sensor[0] - place[0], sensor[1] - place[1])));
  return places.reduce((a, b) => (distance(b) > distance(a) ? b : a));
}

/** A sensor well inside the picture. */
function inner(sensors: number[][]): number {
  return sensors.findIndex(([x, y]) => x > 0.3 && x < 0.7 && y > 0.3 && y < 0.7);
}

test("the field on the screen is what the API says", async ({ twin }) => {
  const { rows } = await twin.table();
  const shown = rows.map((row) => row[3]);
  expect(gap(shown, await twin.answer())).toBeLessThan(1e-5);
  // So are its colors: those of the value, on the scale of the legend.
  const label = (await twin.canvas().getAttribute("aria-label"))!;
  const [lower, upper] = [...label.matchAll(/(?:from|to) ([−\d.e]+)/g)].map((match) => Number(match[1].replace("−", "-")));
  const place = await free((await twin.request()).sensors);
  const value = rows.reduce((a, b) => (Math.hypot(a[1] - place[0], a[2] - place[1]) < Math.hypot(b[1] - place[0], b[2] - place[1]) ? a : b));
  const expected = colorOf(scaleOf([lower, upper], "lagoon"), value[3]);
  expect(gap(await twin.color(await twin.pixel([value[1], value[2]])), expected)).toBeLessThan(10);
});

test("a dragged sensor reads the truth where it is, and the field follows before it is let go", async ({ twin, page, server }) => {
  // A few sensors only, so that each matters.
  const few = "x,y,u\n0.2,0.2,0\n0.8,0.25,0\n0.45,0.5,0\n0.25,0.8,0\n0.8,0.8,0\n";
  await page.locator("input[type=file]").setInputFiles({ name: "few.csv", mimeType: "text/csv", buffer: Buffer.from(few) });
  await page.getByLabel("reads the truth").check();
  const before = await twin.request();
  const first = await twin.answer();
  let [underWay, most, coarse] = [0, 0, 0];
  const forecasts = /\/(encode|decode|predict)$/;
  page.on("request", (request) => {
    if (!forecasts.test(request.url())) return;
    most = Math.max(most, ++underWay);
    const grid = request.postDataJSON().query?.grid;
    if (grid && grid[0] < 128) coarse++;
  });
  const over = (request: { url(): string }) => forecasts.test(request.url()) && underWay--;
  page.on("requestfinished", over);
  page.on("requestfailed", over);

  const k = inner(before.sensors);
  const [from, to] = [before.sensors[k], [before.sensors[k][0] + 0.13, before.sensors[k][1] - 0.11]];
  const [a, b] = [await twin.pixel(from), await twin.pixel(to)];
  const near = { x: b.x + 22, y: b.y };
  const colorBefore = await twin.color(near);
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  for (let step = 1; step <= 20; step++) await page.mouse.move(a.x + ((b.x - a.x) * step) / 20, a.y + ((b.y - a.y) * step) / 20);
  await expect.poll(() => twin.color(near)).not.toEqual(colorBefore);
  expect(coarse).toBeGreaterThan(0);
  await page.mouse.up();

  const after = await twin.request();
  expect(most).toBe(1);
  expect(gap(after.sensors[k], to)).toBeLessThan(0.003);
  expect(after.sensors.filter((place, i) => i !== k && gap(place, before.sensors[i]) > 0)).toEqual([]);
  const truth = await fetch(`${server.url}v1/models/${(await twin.models())[0].name}/truth?times=${after.s}&grid=128x128`).then((response) => response.json());
  const [i, j] = after.sensors[k].map((x) => Math.round(x * 128) % 128);
  expect(Math.abs(truth.values[i * 128 + j] - after.values[k][0])).toBeLessThan(0.06);
  const shown = (await twin.table()).rows.map((row) => row[3]);
  expect(gap(shown, await twin.answer())).toBeLessThan(1e-5);
  expect(gap(shown, first)).toBeGreaterThan(1e-3);
});

test("double click adds a sensor, keys move, silence and remove it", async ({ twin, page }) => {
  const before = await twin.request();
  const place = await free(before.sensors);
  const at = await twin.pixel(place);
  await page.mouse.dblclick(at.x, at.y);
  const added = await twin.request();
  expect(added.sensors.length).toBe(before.sensors.length + 1);
  expect(gap(added.sensors.at(-1)!, place)).toBeLessThan(0.003);

  await twin.canvas().focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(async () => (await twin.request()).sensors.at(-1)![0]).toBeCloseTo(added.sensors.at(-1)![0] + 0.02, 6);
  await expect(page.getByRole("status")).toContainText(`Sensor ${added.sensors.length}`);
  await twin.canvas().focus();
  await page.keyboard.press("s");
  await expect(page.getByText("1 silenced")).toBeVisible();
  expect((await twin.request()).sensors).toEqual(before.sensors);
  await twin.canvas().focus();
  await page.keyboard.press("Delete");
  await expect(page.getByText(`${before.sensors.length} sensors`, { exact: true })).toBeVisible();
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await twin.settled();
  expect(await twin.request()).toEqual(before);
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await page.keyboard.press("p");
  await page.keyboard.press("p");
  await expect(page.getByRole("heading", { name: `Sensor ${before.sensors.length - 1}`, exact: true })).toBeVisible();
});

test("a reading can be typed, and made noisy", async ({ twin, page }) => {
  // Both keys within one frame, as a busy machine sees fast ones: the sensor's input must be there already.
  await twin.canvas().evaluate((canvas) => {
    for (const key of ["n", "Enter"]) canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  });
  await page.keyboard.type("0.77");
  await expect(page.getByText("set by you", { exact: true })).toBeVisible();
  const typed = await twin.request();
  expect(typed.values[0]).toEqual([0.77]);
  await page.locator("#noise-one").fill("0.3");
  await expect(page.locator("[data-part=said]")).toContainText("±");
  const noisy = await twin.request();
  expect(noisy.values[0]).not.toEqual(typed.values[0]);
  expect(noisy.values.slice(1)).toEqual(typed.values.slice(1));
  expect(gap((await twin.table()).rows.map((row) => row[3]), await twin.answer())).toBeLessThan(1e-5);
});

test.describe("a refusal", () => {
  test.use({ allowed: /status of 422/ });

  test("a reading that the server refuses is a message, not an old forecast", async ({ twin, page }) => {
    await twin.canvas().focus();
    await page.keyboard.press("n");
    await page.keyboard.press("Enter");
    await page.keyboard.type("4711");
    await expect(page.locator(".empty")).toContainText("4711");
    await expect(page.locator(".panel.waiting")).toBeVisible();
    await page.locator("#value-0").fill("0.5");
    await expect(page.locator(".panel.waiting")).toBeHidden();
    await expect(page.locator(".empty")).toBeHidden();
    expect(gap((await twin.table()).rows.map((row) => row[3]), await twin.answer())).toBeLessThan(1e-5);
  });
});

test("without the truth a moved sensor guesses from the others, and says so", async ({ twin, page, server }) => {
  await page.getByLabel("asks the others").check();
  const before = await twin.request();
  const k = inner(before.sensors);
  const [a, b] = [await twin.pixel(before.sensors[k]), await twin.pixel(before.sensors[k].map((x) => x + 0.1))];
  await page.mouse.move(a.x, a.y);
  // Let go before the others have answered: it is told all the same.
  await page.route("**/predict", (route) => setTimeout(() => route.continue(), 400));
  await page.mouse.down();
  await page.mouse.move(b.x, b.y, { steps: 8 });
  await page.mouse.up();
  await expect.poll(async () => (await twin.request()).values[k][0]).not.toBe(before.values[k][0]);
  await expect(page.locator(".origin")).toContainText("guessed");
  const after = await twin.request();
  const rest = { sensors: before.sensors.filter((_, i) => i !== k), values: before.values.filter((_, i) => i !== k), s: before.s };
  const body = JSON.stringify({ ...rest, times: [before.s], query: { points: [after.sensors[k]] } });
  const route = `${server.url}v1/models/${(await twin.models())[0].name}/predict`;
  const implied = await fetch(route, { method: "POST", headers: { "content-type": "application/json" }, body }).then((response) => response.json());
  expect(Math.abs(implied.values[0] - after.values[k][0])).toBeLessThan(0.02);
});

test("without a sensor that speaks there is a message, not a forecast", async ({ twin, page }) => {
  await page.locator("input[type=file]").setInputFiles({ name: "one.csv", mimeType: "text/csv", buffer: Buffer.from("x,y,u\n0.5,0.5,0.4\n") });
  await expect(page.getByText("1 sensor", { exact: true })).toBeVisible();
  await twin.canvas().focus();
  await page.keyboard.press("n");
  await page.keyboard.press("s");
  await expect(page.getByText("All sensors are silenced.")).toBeVisible();
  await expect(page.locator(".panel.waiting")).toBeVisible();
  await page.keyboard.press("s");
  await expect(page.locator(".panel.waiting")).toBeHidden();
  await page.keyboard.press("Delete");
  await expect(page.getByText("No sensors yet.")).toBeVisible();
  const at = await twin.pixel([0.3, 0.6]);
  await page.mouse.dblclick(at.x, at.y);
  await expect(page.locator(".panel.waiting")).toBeHidden();
  expect(gap((await twin.request()).sensors[0], [0.3, 0.6])).toBeLessThan(0.003);
});
