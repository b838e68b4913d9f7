/**
 * Completes package-lock.json, or with `--check` says whether it is complete. A registry that
 * carries the native packages of some platforms only makes npm write a lock file without the
 * others, and `npm ci` then refuses that file on every platform. Their entries follow from the
 * packages that name them: the version, and the platform in the name. They carry no integrity,
 * since their bytes were never seen; npm skips them wherever the platform differs.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(new URL("../package-lock.json", import.meta.url));

interface LockEntry {
  version?: string;
  cpu?: string[];
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  libc?: string[];
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
if (process.argv.includes("--check")) {
  if (missing.size > 0) {
    console.error(
      `package-lock.json lacks ${[...missing.keys()].join(", ")}: npm ci refuses it. Run \`node scripts/complete-lock.ts\`.`,
    );
    process.exit(1);
  }
} else if (missing.size > 0) {
  const { "": root, ...others } = lock.packages;
  const all = Object.entries({ ...others, ...Object.fromEntries(missing) });
  all.sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = { ...(root === undefined ? {} : { "": root }), ...Object.fromEntries(all) };
  await writeFile(FILE, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${missing.size} entries added`);
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

/** Whether the name is found from a package's own folder upwards, as Node looks for it. */
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
      `${name} is not in package-lock.json, and its name tells no platform: install it.`,
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
