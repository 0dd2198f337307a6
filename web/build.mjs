// Builds the page into a folder, or with --compare checks that the folder holds what the sources build.
import { build } from "esbuild";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, cpSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const compare = process.argv[2] === "--compare";
const folder = process.argv[compare ? 3 : 2];
const target = compare ? mkdtempSync(join(tmpdir(), "page-")) : folder;

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const file of ["index.html", "icon.svg"]) cpSync(join("src", file), join(target, file));
await build({
  entryPoints: { app: "src/main.ts", style: "src/style/main.css" },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  outdir: target,
});

if (compare) {
  const names = [...new Set([...readdirSync(target), ...readdirSync(folder)])].sort();
  const same = (name) => {
    const [built, kept] = [join(target, name), join(folder, name)];
    return existsSync(built) && existsSync(kept) && readFileSync(built).equals(readFileSync(kept));
  };
  const different = names.filter((name) => !same(name));
  rmSync(target, { recursive: true });
  if (different.length > 0) {
    console.error(`${folder} is not what the sources build (${different.join(", ")}); run: npm run build`);
    process.exit(1);
  }
}
