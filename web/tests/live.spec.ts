// The newest readings, followed as others send them.

import { expect, gap, test } from "./page";

test.describe("live", () => {
  // The server goes away once.
  test.use({ allowed: /ERR_/ });

  test("readings that are sent to the server are shown until somebody changes a sensor", async ({ twin, page, server }) => {
    const { name, times } = (await twin.models())[0];
    const before = await twin.request();
    const send = async (time: number, sensors: number[][], values: number[][]) => {
      const body = JSON.stringify({ time, sensors, values });
      const answer = await fetch(`${server.url}v1/models/${name}/observations`, { method: "POST", headers: { "content-type": "application/json" }, body });
      expect(answer.status).toBe(200);
    };
    const shows = async (time: number, sensors: number[][], values: number[][]) => {
      await expect.poll(async () => (await twin.request()).s).toBe(time);
      const { sensors: places, values: readings } = await twin.request();
      expect({ places, readings }).toEqual({ places: sensors, readings: values });
      expect(gap((await twin.table()).rows.map((row) => row[3]), await twin.answer())).toBeLessThan(1e-5);
    };
    const live = page.getByRole("button", { name: "Live", exact: true });
    await live.click();
    await expect(page.getByText("waiting for readings")).toBeVisible();
    expect(await twin.request()).toEqual(before);

    const places = [[0.2, 0.3], [0.7, 0.25], [0.5, 0.75]];
    await send(0, places, [[0.1], [0.4], [0.9]]);
    await shows(0, places, [[0.1], [0.4], [0.9]]);
    const lead = (await twin.request()).times[0];
    await send(times.end / 4, places, [[0.3], [0.2], [0.6]]);
    await shows(times.end / 4, places, [[0.3], [0.2], [0.6]]);
    // As far ahead as before.
    expect((await twin.request()).times[0]).toBeCloseTo(lead + times.end / 4, 9);
    await expect(live).toHaveAttribute("aria-pressed", "true");

    await server.stop();
    await expect(page.getByRole("alert")).toContainText("does not answer");
    await server.restart();
    await expect(page.getByRole("alert")).toBeHidden();
    await send(times.end / 2, places, [[0.5], [0.1], [0.2]]);
    await shows(times.end / 2, places, [[0.5], [0.1], [0.2]]);

    await twin.canvas().focus();
    await page.keyboard.press("n");
    await page.keyboard.press("ArrowUp");
    await expect(live).toHaveAttribute("aria-pressed", "false");
    const mine = await twin.request();
    await send(times.end / 2, places, [[0.9], [0.9], [0.9]]);
    expect(await twin.request()).toEqual(mine);
    expect(gap(mine.sensors[0], [0.2, 0.32])).toBeLessThan(1e-9);
  });
});
