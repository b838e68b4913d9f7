/**
 * `node --import ./scripts/keep-compiled.mjs scripts/dev.ts`: caches stripped TypeScript and V8's compiled code in
 * node_modules/.cache, so that the next start of the script is faster. Cache entries may be missing, damaged, or
 * written concurrently; they are then made again.
 */
import { hash } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { enableCompileCache, registerHooks, stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache/edgeloom-scripts");
const STRIPPED = join(CACHE, "stripped");
const DIGEST_LENGTH = 64;
const STALE_MS = 7 * 24 * 60 * 60 * 1000;

// Node checks its own entries, and works without them if the cache is not writable.
enableCompileCache(join(CACHE, "code"));
registerHooks({
  load(url, context, nextLoad) {
    const source = ownTypeScript(url);
    return source === undefined
      ? nextLoad(url, context)
      : { format: "module", source, shortCircuit: true };
  },
});

/** Returns one of our scripts without its types; undefined for files that Node loads itself. */
function ownTypeScript(url) {
  if (!url.startsWith("file:") || !url.endsWith(".ts") || url.includes("/node_modules/")) {
    return undefined;
  }
  const path = fileURLToPath(url);
  if (!path.startsWith(ROOT)) {
    return undefined;
  }
  try {
    const source = readFileSync(path, "utf8");
    const kept = join(STRIPPED, hash("sha256", `${process.version}\0${source}`));
    return readKept(kept) ?? keep(kept, stripQuietly(source));
  } catch {
    return undefined;
  }
}

/** Suppresses the warning that the function is experimental: Node strips types with the same code by default. */
function stripQuietly(source) {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

function readKept(path) {
  try {
    const text = readFileSync(path, "utf8");
    const code = text.slice(DIGEST_LENGTH);
    return text.slice(0, DIGEST_LENGTH) === hash("sha256", code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the code also if it cannot be cached, for example on a full or read-only disk. */
function keep(path, code) {
  const staging = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(STRIPPED, { recursive: true });
    writeFileSync(staging, hash("sha256", code) + code);
    renameSync(staging, path);
    removeStale();
  } catch {
    rmSync(staging, { force: true });
  }
  return code;
}

/** Entries unused for a week are removed. */
function removeStale() {
  for (const name of readdirSync(STRIPPED)) {
    const path = join(STRIPPED, name);
    if (Date.now() - statSync(path).mtimeMs > STALE_MS) {
      rmSync(path, { force: true });
    }
  }
}
