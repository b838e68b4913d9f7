/** A browser from npm packages alone: no system package, no additional download. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { fillFolder } from "./fill-folder.ts";

// By version, because the package reuses any existing file. It is there whole, or not at all.
const CACHE = fileURLToPath(
  new URL("../../../node_modules/.cache/chromium-147.0.0", import.meta.url),
);

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

interface Unpacked {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

let unpacked: Promise<Unpacked> | undefined;

/** Opens headless Chromium. Unpacks it on first use. */
export async function openBrowser(): Promise<Browser> {
  unpacked ??= unpack();
  const { path, env } = await unpacked;
  return chromium.launch({
    executablePath: path,
    // Playwright passes an undefined variable on as the text "undefined".
    env: Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    headless: true,
    args: FLAGS,
  });
}

/**
 * The import of the package adds its libraries and fonts to the environment. Only the browser may have them: the services
 * that other test files of this process start would load those libraries.
 */
async function unpack(): Promise<Unpacked> {
  const before = { ...process.env };
  // The package unpacks below TMPDIR, and checks this variable before it adds its own system libraries.
  process.env["TMPDIR"] = CACHE;
  process.env["AWS_EXECUTION_ENV"] ??= "AWS_Lambda_nodejs20.x";
  try {
    const { default: packed } = await import("@sparticuz/chromium");
    packed.setGraphicsMode = false;
    if (!existsSync(CACHE)) {
      await fillFolder(CACHE, async (own) => {
        process.env["TMPDIR"] = own;
        await packed.executablePath();
        const fonts = join(own, "fonts/fonts.conf");
        const text = await readFile(fonts, "utf8");
        await writeFile(fonts, text.replaceAll("/tmp/fonts", join(CACHE, "fonts")));
      });
      process.env["TMPDIR"] = CACHE;
    }
    const path = await packed.executablePath();
    return { path, env: { ...process.env, TMPDIR: before["TMPDIR"] } };
  } finally {
    for (const name of Object.keys(process.env)) {
      if (before[name] === undefined) {
        delete process.env[name];
      } else {
        process.env[name] = before[name];
      }
    }
  }
}
