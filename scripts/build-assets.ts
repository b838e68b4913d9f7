/**
 * Builds the files that the API Worker reads from its assets (`[assets]` in wrangler.toml) in dist/assets: style sheets
 * and scripts of its pages, the browser code of embeds, texts that only pages show, and the system fonts with their
 * licenses. wrangler runs this script before a build; the local service and the tests call `buildAssets`.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SYSTEM_FAMILIES } from "../src/domain/fonts/system-families.ts";
import { BUILT_FOLDERS, BUILT_TEXT_SOURCES, BUILT_TEXTS } from "./built-texts.ts";
import { SYSTEM_FONT_SOURCES, systemFontAsset } from "./system-font-sources.ts";
import { bringUpWeb } from "./web-files.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TARGET = join(ROOT, "dist/assets");
/** Temporary folder beside it, on the same file system. */
const STAGING = join(ROOT, "dist/assets-staging");

const SITE = join(ROOT, "src/web/site");
/** Bundled files of the pages (src/pages/docs/docs-asset.ts), by name, with their entry points. */
const SITE_BUNDLES: Readonly<Record<string, string>> = {
  "site.css": "site.css",
  "site.js": "site.ts",
  "theme.js": "theme.ts",
};
/** Files that are copied unchanged. */
const SITE_FILES = ["mark.svg", "hero-code.svg"];

interface Asset {
  readonly source: string;
  /** Hexadecimal; undefined if the package manager's check is sufficient. */
  readonly sha256?: string;
}

/**
 * Updates dist/assets and removes other files from it. Fast if nothing changed. Throws if a font differs from its
 * description in the manifest.
 */
export async function buildAssets(): Promise<void> {
  const assets = listAssets();
  await mkdir(TARGET, { recursive: true });
  await mkdir(STAGING, { recursive: true });
  await Promise.all([...assets].map(([path, asset]) => bringUp(join(TARGET, path), asset)));
  await Promise.all([bundleSite(), writeBuiltTexts(), bringUpWeb()]);
  const entries = await readdir(TARGET, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((found) => found.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(TARGET.length + 1).replaceAll("\\", "/");
    if (!assets.has(name) && !isSiteBundle(name) && !isBuiltText(name) && !isWeb(name)) {
      await rm(path, { force: true });
    }
  }
}

/** By path below the assets. */
function listAssets(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>(
    SITE_FILES.map((name) => [`site/${name}`, { source: join(SITE, name) }]),
  );
  const manifest = SYSTEM_FAMILIES.flatMap(({ files }) => files);
  const sums = new Map(manifest.map(({ asset, sha256 }) => [asset, sha256]));
  for (const { slug, licenseFile, files } of SYSTEM_FONT_SOURCES) {
    assets.set(systemFontAsset(slug, "LICENSE", ".txt"), { source: modules(licenseFile) });
    for (const [variant, path] of Object.entries(files)) {
      const asset = systemFontAsset(slug, variant, path);
      assets.set(asset, { source: modules(path), sha256: sums.get(asset) ?? "" });
    }
  }
  return assets;
}

/** Copies files whose size or time differ. Safe with concurrent processes: a file appears complete or not at all. */
async function bringUp(target: string, { source, sha256 }: Asset): Promise<void> {
  const from = await stat(source);
  const to = await stat(target).catch(() => undefined);
  // In seconds, which every file system stores.
  const seconds = Math.floor(from.mtimeMs / 1000);
  if (to?.size === from.size && Math.floor(to.mtimeMs / 1000) === seconds) {
    return;
  }
  const bytes = await readFile(source);
  if (sha256 !== undefined && createHash("sha256").update(bytes).digest("hex") !== sha256) {
    throw new Error(
      `${source} differs from its description in src/domain/fonts/system-families.ts. Run npm ci; after an update of its package, run node scripts/derive-system-families.ts.`,
    );
  }
  await mkdir(dirname(target), { recursive: true });
  const staging = join(STAGING, randomUUID());
  await writeFile(staging, bytes);
  await utimes(staging, seconds, seconds);
  await rename(staging, target);
}

function isSiteBundle(name: string): boolean {
  return name.startsWith("site/") && Object.hasOwn(SITE_BUNDLES, name.slice("site/".length));
}

/** Bundles the pages' style sheet and scripts, unless the bundles are newer than all sources. */
async function bundleSite(): Promise<void> {
  const sources = await readdir(SITE);
  const newestMs = Math.max(
    ...(await Promise.all(sources.map(async (name) => (await stat(join(SITE, name))).mtimeMs))),
  );
  const made = await Promise.all(
    Object.keys(SITE_BUNDLES).map((name) =>
      stat(join(TARGET, "site", name)).catch(() => undefined),
    ),
  );
  if (made.every((found) => found !== undefined && found.mtimeMs >= newestMs)) {
    return;
  }
  const { build } = await import("esbuild");
  await mkdir(join(TARGET, "site"), { recursive: true });
  for (const [name, entry] of Object.entries(SITE_BUNDLES)) {
    const { outputFiles } = await build({
      entryPoints: [join(SITE, entry)],
      bundle: true,
      minify: true,
      write: false,
      format: "iife",
      // Browsers that support `light-dark()`; with older targets the style sheet would be rewritten.
      target: ["chrome123", "safari17.5", "firefox120"],
      logLevel: "error",
    });
    const staging = join(STAGING, randomUUID());
    await writeFile(staging, outputFiles[0]?.contents ?? "");
    await rename(staging, join(TARGET, "site", name));
  }
}

/** `bringUpWeb` removes what is old there. */
function isWeb(name: string): boolean {
  return name.startsWith("embed/");
}

function isBuiltText(name: string): boolean {
  const [root, folder = ""] = name.split("/");
  return root === "built" && (Object.hasOwn(BUILT_TEXTS, folder) || isBuiltFolder(folder));
}

function isBuiltFolder(name: string): boolean {
  return Object.hasOwn(BUILT_FOLDERS, name);
}

/** Writes the texts, unless they are newer than all their sources. */
async function writeBuiltTexts(): Promise<void> {
  const folder = join(TARGET, "built");
  const newestMs = Math.max(
    ...(await Promise.all(BUILT_TEXT_SOURCES.map((source) => newestFileMs(join(ROOT, source))))),
  );
  // The last file of a folder is the one that shows its age.
  const names = [
    ...Object.keys(BUILT_TEXTS),
    ...Object.keys(BUILT_FOLDERS).map((name) => `${name}/${FOLDER_END}`),
  ];
  const made = await Promise.all(
    names.map((name) => stat(join(folder, name)).catch(() => undefined)),
  );
  if (made.every((found) => found !== undefined && found.mtimeMs >= newestMs)) {
    return;
  }
  await mkdir(folder, { recursive: true });
  for (const [name, make] of Object.entries(BUILT_TEXTS)) {
    const staging = join(STAGING, randomUUID());
    await writeFile(staging, JSON.stringify(await make()));
    await rename(staging, join(folder, name));
  }
  for (const [name, make] of Object.entries(BUILT_FOLDERS)) {
    await writeFolder(join(folder, name), await make());
  }
}

/** Written last in a folder of texts. */
const FOLDER_END = "end.json";

/** Writes these texts into a folder and removes all others from it. */
async function writeFolder(
  folder: string,
  texts: Readonly<Record<string, unknown>>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files = new Map(Object.entries(texts).map(([name, text]) => [`${name}.json`, text]));
  files.set(FOLDER_END, null);
  for (const [name, text] of files) {
    const staging = join(STAGING, randomUUID());
    await writeFile(staging, JSON.stringify(text));
    await rename(staging, join(folder, name));
  }
  for (const name of await readdir(folder)) {
    if (!files.has(name)) {
      await rm(join(folder, name), { force: true });
    }
  }
}

/** Time of the last change of a file in this folder. */
async function newestFileMs(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  return Math.max(
    ...(await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mtimeMs))),
  );
}

function modules(path: string): string {
  return join(ROOT, "node_modules", path);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildAssets();
}
