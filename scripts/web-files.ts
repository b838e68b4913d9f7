/**
 * The built browser code of embeds: src/web without the site's pages, built by Vite, in a cache keyed by the content of all its
 * sources, and copied from there to dist/assets/embed (docs/decisions/browser-code.md).
 */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { BUILD_CACHE, hashSources } from "./hash-sources.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TARGET = join(ROOT, "dist/assets/embed");
const STAGING = join(ROOT, "dist/assets-staging");

/** Everything that decides the built files. */
export const WEB_SOURCES = {
  folders: ["src/web", "src/contracts", "src/lib"],
  files: [
    "package-lock.json",
    "tsconfig.json",
    "tsconfig.web.json",
    "vite.config.ts",
    "scripts/build-web.ts",
    "scripts/web-files.ts",
  ],
  note: "web-sources.json",
};

/** Beside the manifest: the hash of the sources, and the CRC-32 of each file. */
const STAMP = "build.json";

interface Stamp {
  readonly hash: string;
  readonly files: Readonly<Record<string, number>>;
}

let running: Promise<void> | undefined;

/**
 * Updates dist/assets/embed: from the cache, or by a build in a process of its own, of which standard error receives one
 * line. Fast if nothing changed. Safe with concurrent starts. Throws if the build fails, with its messages.
 */
export function bringUpWeb(): Promise<void> {
  running ??= bringUp().finally(() => {
    running = undefined;
  });
  return running;
}

async function bringUp(): Promise<void> {
  const hash = await hashSources(WEB_SOURCES);
  if (await isWhole(TARGET, hash)) {
    return;
  }
  const cached = join(BUILD_CACHE, `web-${hash}`);
  if (await isWhole(cached, hash)) {
    await putInPlace(cached);
    return;
  }
  process.stderr.write("Building the pages of embeds, once after each change of their code.\n");
  const made = join(STAGING, randomUUID());
  try {
    await build(made, hash);
    await keep(made, cached);
    await putInPlace(made);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function build(folder: string, hash: string): Promise<void> {
  try {
    await run(process.execPath, [join(ROOT, "scripts/build-web.ts"), folder], {
      cwd: ROOT,
      // Vite would build for development where a test runner has set this variable.
      env: { ...process.env, NODE_ENV: "production" },
      maxBuffer: 16 * 1024 * 1024,
    });
  } catch (error) {
    // What the process printed says what is wrong with the sources; the error itself would repeat it.
    const { stderr } = error as { readonly stderr?: string };
    throw new Error(`The pages of embeds cannot be built.\n${stderr ?? String(error)}`);
  }
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const sums = names
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), crc32(await readFile(path))] as const;
    });
  const stamp: Stamp = { hash, files: Object.fromEntries(await Promise.all(sums)) };
  await writeFile(join(folder, STAMP), JSON.stringify(stamp));
}

/** Where the cache cannot be written, the next start without dist builds again. */
async function keep(made: string, cached: string): Promise<void> {
  const staging = `${cached}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(cached), { recursive: true });
    await cp(made, staging, { recursive: true });
    // The existing entry is damaged, or another start has just written the same one.
    await rm(cached, { recursive: true, force: true });
    await rename(staging, cached);
  } catch {
    await rm(staging, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Copies the files, the stamp last, and removes those of other builds. A file appears complete or not at all. */
async function putInPlace(folder: string): Promise<void> {
  const stamp = await readStamp(folder);
  const names = [...Object.keys(stamp?.files ?? {}), STAMP];
  await mkdir(STAGING, { recursive: true });
  for (const name of names) {
    const staging = join(STAGING, randomUUID());
    await writeFile(staging, await readFile(join(folder, name)));
    await mkdir(dirname(join(TARGET, name)), { recursive: true });
    await rename(staging, join(TARGET, name));
  }
  const found = await readdir(TARGET, { recursive: true, withFileTypes: true });
  for (const entry of found.filter((file) => file.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if (!names.includes(path.slice(TARGET.length + 1))) {
      await rm(path, { force: true });
    }
  }
}

async function isWhole(folder: string, hash: string): Promise<boolean> {
  const stamp = await readStamp(folder);
  if (stamp?.hash !== hash) {
    return false;
  }
  const found = await Promise.all(
    Object.entries(stamp.files).map(async ([name, sum]) => {
      const bytes = await readFile(join(folder, name)).catch(() => undefined);
      return bytes !== undefined && crc32(bytes) === sum;
    }),
  );
  return found.length > 0 && found.every(Boolean);
}

/** Undefined if the file is missing or damaged. */
async function readStamp(folder: string): Promise<Stamp | undefined> {
  try {
    const stamp = JSON.parse(await readFile(join(folder, STAMP), "utf8")) as Partial<Stamp> | null;
    return typeof stamp?.hash === "string" &&
      typeof stamp.files === "object" &&
      stamp.files !== null
      ? { hash: stamp.hash, files: stamp.files }
      : undefined;
  } catch {
    return undefined;
  }
}
