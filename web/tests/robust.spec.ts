// A server that goes away, a narrow screen, people who do not look or do not point.

import AxeBuilder from "@axe-core/playwright";
import { expect, gap, test } from "./page";

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
    const at = await twin.pixel((await twin.request()).sensors[0]);
    await page.evaluate(() => scrollTo(0, 0));
    const fresh = await twin.pixel((await twin.request()).sensors[0]);
    await page.touchscreen.tap(fresh.x || at.x, fresh.y || at.y);
    await expect(page.getByRole("heading", { name: /^Sensor \d/ })).toBeVisible();
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
