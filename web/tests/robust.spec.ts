// A server that goes away, a narrow screen, people who do not look or do not point.

import AxeBuilder from "@axe-core/playwright";
import { expect, gap, test, Twin } from "./page";

test.describe("a server that goes away", () => {
  test.use({ allowed: /Failed to load resource/ });

  test("is said, everything is kept, and the page goes on when it is back", async ({ twin, page, server }) => {
    const before = await twin.request();
    await server.stop();
    await page.locator("#straight").fill("0.002");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("alert")).toContainText("The server does not answer");
    await twin.canvas().focus();
    await page.keyboard.press("n");
    await page.keyboard.press("ArrowUp");
    await server.restart();
    await expect(page.getByRole("alert")).toBeHidden();
    const after = await twin.request();
    expect(after.times).toEqual([0.002]);
    expect(after.sensors.length).toBe(before.sensors.length);
    expect(after.sensors[0][1]).toBeCloseTo(before.sensors[0][1] + 0.02, 6);
    expect(gap((await twin.table()).rows.map((row) => row[3]), await twin.answer())).toBeLessThan(1e-5);
  });
});

test("a server that wants a token is asked with one", async ({ server, page }) => {
  const refusal = { status: 401, json: { error: { kind: "token", message: "This needs a token." } } };
  await page.route("**/v1/**", (route) => (route.request().headers().authorization === "Bearer open sesame" ? route.continue() : route.fulfill(refusal)));
  await page.goto(server.url);
  await page.locator("#token").fill("wrong");
  await page.keyboard.press("Enter");
  await expect(page.locator("dialog.token")).toBeVisible();
  await page.locator("#token").fill("open sesame");
  await page.keyboard.press("Enter");
  const twin = new Twin(page, server.url);
  await twin.settled();
  expect((await twin.table()).rows.length).toBeGreaterThan(1000);
  expect(await twin.command("curl")).toContain('-H "authorization: Bearer $LTO_TOKEN"');
});

test.describe("a narrow screen", () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

  test("shows field, time and cards one above the other, and nothing beside the edge", async ({ twin, page }) => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(360);
    const canvas = (await twin.canvas().boundingBox())!;
    expect(canvas.width).toBeGreaterThan(330);
    const time = (await page.locator("#time").boundingBox())!;
    const card = (await twin.card("Sensors").boundingBox())!;
    expect(time.y).toBeGreaterThan(canvas.y);
    expect(card.y).toBeGreaterThan(canvas.y + canvas.height - 1);
  });

  test("a finger moves a sensor, and scrolls the page anywhere else", async ({ twin, page }) => {
    const { sensors } = await twin.request();
    await page.evaluate(() => scrollTo(0, 0));
    const k = sensors.findIndex(([x, y]) => x > 0.3 && x < 0.6 && y > 0.4 && y < 0.7);
    const at = await twin.pixel(sensors[k]);
    const touch = await page.context().newCDPSession(page);
    const swipe = async (x: number, y: number, dx: number, dy: number) => {
      const point = (share: number) => [{ x: x + share * dx, y: y + share * dy }];
      await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: point(0) });
      for (let step = 1; step <= 8; step++) await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: point(step / 8) });
      await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    };
    await swipe(at.x, at.y, 40, 40);
    await expect(page.getByRole("heading", { name: `Sensor ${k + 1}`, exact: true })).toBeVisible();
    const picture = JSON.parse((await twin.canvas().getAttribute("data-picture"))!);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    const after = (await twin.request()).sensors[k];
    expect(gap(after, [sensors[k][0] + 40 / picture.width, sensors[k][1] - 40 / picture.height])).toBeLessThan(0.01);
    await page.evaluate(() => scrollTo(0, 0));
    await swipe(330, 700, 0, -300);
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(50);
  });
});

for (const [name, options, act] of [
  ["light", { colorScheme: "light" }, ["#view-difference", "#view-bound"]],
  ["dark", { colorScheme: "dark" }, ["#contours"]],
  ["narrow", { viewport: { width: 360, height: 740 } }, []],
  ["flat", { kind: "flat" }, []],
] as const) {
  test.describe(name, () => {
    test.use(options as Parameters<typeof test.use>[0]);
    test(`axe finds no serious fault: ${name}`, async ({ twin, page }) => {
      for (const button of act) await page.click(button);
      await page.keyboard.press("n");
      await page.getByText("All sensors", { exact: true }).click();
      await twin.command("lto");
      await twin.settled();
      const check = async () => {
        const { violations } = await new AxeBuilder({ page }).analyze();
        return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`);
      };
      expect(await check()).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Keys" }).click();
      expect(await check()).toEqual([]);
    });
  });
}
