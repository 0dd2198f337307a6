import { defineConfig } from "@playwright/test";

// A browser of the system: the variable CHROMIUM names it. Everything runs on loopback.
export default defineConfig({
  testDir: "tests",
  timeout: 60_000,
  expect: { timeout: 15_000 },
  workers: 2,
  fullyParallel: true,
  reporter: "list",
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
    acceptDownloads: true,
  },
});
