/** A browser from npm packages alone: no system package, no additional download. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";

// By version, because the package reuses any existing file.
const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/chromium-147", import.meta.url));

// Never the package's own flags: they disable the protections by content policies and origins that are under test.
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Opens headless Chromium. Unpacks it on first use. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await unpack(), headless: true, args: FLAGS });
}

async function unpack(): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  const before = process.env["TMPDIR"];
  // The package unpacks below TMPDIR, and checks this variable before it adds its own system libraries.
  process.env["TMPDIR"] = CACHE;
  process.env["AWS_EXECUTION_ENV"] ??= "AWS_Lambda_nodejs20.x";
  try {
    const { default: packed } = await import("@sparticuz/chromium");
    packed.setGraphicsMode = false;
    const path = await packed.executablePath();
    const fonts = join(CACHE, "fonts/fonts.conf");
    const text = await readFile(fonts, "utf8");
    await writeFile(fonts, text.replaceAll("/tmp/fonts", join(CACHE, "fonts")));
    return path;
  } finally {
    if (before === undefined) {
      delete process.env["TMPDIR"];
    } else {
      process.env["TMPDIR"] = before;
    }
  }
}
