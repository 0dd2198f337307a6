// Files in and out: sensors by CSV with complaints by line, the field in every format, commands that give it again.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, gap, test, type Twin } from "./page";
import { PROGRAM } from "./server";

async function drop(twin: Twin, name: string, text: string): Promise<void> {
  const data = await twin.page.evaluateHandle(([name, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name, { type: "text/csv" }));
    return transfer;
  }, [name, text]);
  await twin.page.dispatchEvent("body", "drop", { dataTransfer: data });
}

test("bad rows of a dropped file are named by line, good ones used", async ({ twin, page }) => {
  await drop(twin, "mine.csv", "x,y,u\n0.1,0.2,0.5\n0.3,oops,0.4\n0.5,0.5,\n0.6,0.6,0.3,9\n0.7,0.2,4711\n0.1,0.2,0.9\n0.8,0.9,0.6\n");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading")).toContainText("mine.csv: 5 lines cannot be used");
  const complaints = await dialog.getByRole("listitem").allInnerTexts();
  expect(complaints.map((text) => text.split(" ").slice(0, 2).join(" "))).toEqual(["Line 3", "Line 4", "Line 5", "Line 6", "Line 7"]);
  expect(complaints[0]).toContain("y is “oops”");
  expect(complaints[1]).toContain("u is missing");
  expect(complaints[2]).toContain("4 cells");
  expect(complaints[3]).toContain("8 deviations");
  expect(complaints[4]).toContain("line 2");
  await page.getByRole("button", { name: "Use the 2 good lines" }).click();
  const { sensors, values } = await twin.request();
  expect(sensors).toEqual([[0.1, 0.2], [0.8, 0.9]]);
  expect(values).toEqual([[0.5], [0.6]]);
  expect(gap((await twin.table()).rows.map((row) => row[3]), await twin.answer())).toBeLessThan(1e-5);
});

test("a file without the right columns changes nothing", async ({ twin, page }) => {
  const before = await twin.request();
  await drop(twin, "other.csv", "lat,lon,temp\n1,2,3\n");
  await expect(page.getByRole("listitem")).toContainText("No column x, y, u");
  await expect(page.getByRole("button", { name: /Use the/ })).toBeHidden();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(await twin.request()).toEqual(before);
});

test("a file with the sensors of the screen gives them back", async ({ twin, page }) => {
  const before = await twin.request();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save", exact: true }).click()]);
  await page.locator("input[type=file]").setInputFiles(await download.path().then((path) => ({ name: "sensors.csv", mimeType: "text/csv", buffer: readFileSync(path) })));
  await expect(page.getByRole("status")).toContainText("sensors loaded");
  const after = await twin.request();
  expect(after.sensors).toEqual(before.sensors);
  expect(after.values).toEqual(before.values);
});

test("exported arrays and images hold the field", async ({ twin }) => {
  const { rows } = await twin.table();
  const shown = rows.map((row) => row[3]);
  // Python checks the zip file's checksums and the header that NumPy reads.
  const script = `
import ast, json, struct, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
def array(name):
    data = archive.read(name + ".npy")
    assert data[:8] == b"\\x93NUMPY\\x01\\x00" and (10 + struct.unpack("<H", data[8:10])[0]) % 64 == 0
    end = 10 + struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:end].decode())
    if header["descr"] == "<f8":
        return header["shape"], list(struct.unpack("<%dd" % (len(data[end:]) // 8), data[end:]))
    return header["shape"], data[end:].decode("utf-32-le")
print(json.dumps({name: array(name) for name in ["times", "channels", "x", "y", "values"]}))
`;
  const told = JSON.parse(execFileSync("python3", ["-c", script, await twin.exported("NPZ")], { maxBuffer: 1 << 28 }).toString());
  const { times, query } = await twin.request();
  expect(told.times).toEqual([[1], times]);
  expect(told.channels).toEqual([[1], "u"]);
  expect(told.values[0]).toEqual([1, 1, ...query.grid]);
  expect(gap(told.values[1], shown)).toBe(0);
  expect(told.x[1].slice(0, 2)).toEqual([0, 1 / query.grid[0]]);

  const image = readFileSync(await twin.exported("VTI"), "utf8");
  expect(image).toContain(`WholeExtent="0 ${query.grid[0] - 1} 0 ${query.grid[1] - 1} 0 0"`);
  const bytes = Buffer.from(image.match(/\n_([A-Za-z0-9+/=]+)\n/)![1], "base64");
  const [nx, ny] = query.grid;
  expect(bytes.readBigUInt64LE(0)).toBe(BigInt(8 * nx * ny));
  // x is fastest there, y in the table.
  for (const [i, j] of [[3, 0], [0, 5], [17, 90]]) expect(bytes.readDoubleLE(8 + 8 * (j * nx + i))).toBe(shown[i * ny + j]);

  const png = readFileSync(await twin.exported("PNG"));
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.readUInt32BE(16)).toBeGreaterThan(500);
});

test("the lto command gives the field on the screen", async ({ twin }) => {
  test.skip(!PROGRAM, "needs the program: LTO_PROGRAM");
  const command = await twin.command("lto");
  const folder = mkdtempSync(join(tmpdir(), "lto-"));
  const table = command.replace("-o field.npz", "-o field.csv");
  execFileSync("bash", ["-ec", table], { cwd: folder, env: { ...process.env, PATH: `${dirname(PROGRAM!)}:${process.env.PATH}` } });
  const said = readFileSync(join(folder, "field.csv"), "utf8").trim().split("\n").slice(1).map((line) => Number(line.split(",")[3]));
  expect(gap(said, (await twin.table()).rows.map((row) => row[3]))).toBeLessThan(1e-5);
});
