import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findProgram, LIBRARIES } from "./peers/external/find-program.mjs";

export interface ExternalEngine {
  /** Engine name, as `serve-engine.mjs` expects it. */
  readonly id: "restate" | "dbos" | "bullmq" | "bullmq-snapshots" | "pg-boss";
  readonly name: string;
  /** Measurements that it is part of: `batches` has those with a call for many jobs. */
  readonly measuredIn: readonly ("peers" | "batches")[];
  /** Packages required in bench/peers/external/node_modules. */
  readonly packages: readonly string[];
  /** Required programs that npm does not install. */
  readonly programs: readonly string[];
  readonly install: readonly string[];
}

export const EXTERNAL = fileURLToPath(new URL("peers/external", import.meta.url).href);

const NPM = "npm install --ignore-scripts --prefix bench/peers/external";

/** Debian's packages of Redis, installed or only unpacked. */
const REDIS = {
  programs: ["redis-server"],
  install: [
    NPM,
    "apt-get install redis-server, or without installing it: cd bench/peers/external && " +
      "apt-get download redis-server redis-tools libjemalloc2 liblua5.1-0 liblzf1 lua-cjson lua-bitop && " +
      "for deb in *.deb; do dpkg -x $deb redis; done && rm *.deb (in another folder: BENCH_REDIS=FOLDER/redis)",
  ],
};
const POSTGRES = {
  programs: ["initdb", "postgres"],
  install: [NPM, "apt-get install postgresql"],
};

export const ENGINES: readonly ExternalEngine[] = [
  {
    id: "restate",
    name: "Restate",
    measuredIn: ["peers"],
    packages: ["@restatedev/restate-server", "@restatedev/restate-sdk"],
    programs: [],
    install: [NPM],
  },
  {
    id: "dbos",
    name: "DBOS with PostgreSQL",
    measuredIn: ["peers"],
    packages: ["@dbos-inc/dbos-sdk", "pg"],
    ...POSTGRES,
  },
  {
    id: "bullmq",
    name: "BullMQ with Redis (log synced each second)",
    measuredIn: ["peers", "batches"],
    packages: ["bullmq", "ioredis"],
    ...REDIS,
  },
  {
    id: "bullmq-snapshots",
    name: "BullMQ with Redis (by default: snapshots, the last minute may be lost)",
    measuredIn: ["batches"],
    packages: ["bullmq", "ioredis"],
    ...REDIS,
  },
  {
    id: "pg-boss",
    name: "pg-boss with PostgreSQL",
    measuredIn: ["batches"],
    packages: ["pg-boss", "pg"],
    ...POSTGRES,
  },
];

export interface MissingParts {
  readonly engine: ExternalEngine;
  readonly missing: readonly string[];
}

/** The missing parts of an engine. `hasProgram` looks programs up like the engine's own start. */
export function missingParts(
  engine: ExternalEngine,
  hasProgram: (name: string) => boolean,
  hasPackage = (name: string) => existsSync(`${EXTERNAL}/node_modules/${name}/package.json`),
): MissingParts {
  const missing = [
    ...engine.packages.filter((name) => !hasPackage(name)),
    ...engine.programs.filter((name) => !hasProgram(name)),
  ];
  return { engine, missing };
}

/** The missing parts and the commands to install them, one per line. */
export function howToInstall({ engine, missing }: MissingParts): string {
  return [
    `${engine.name} is not measured: ${missing.join(", ")} not found. To install:`,
    ...engine.install.map((command) => `  ${command}`),
  ].join("\n");
}

/** The engines of a measurement that are installed, and the names of the others. Prints how to install those. */
export function installedEngines(
  measurement: "peers" | "batches",
  say: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): { readonly installed: readonly ExternalEngine[]; readonly missing: readonly string[] } {
  const parts = ENGINES.filter(({ measuredIn }) => measuredIn.includes(measurement)).map((engine) =>
    missingParts(engine, (name) => findProgram(name) !== undefined),
  );
  const lacking = parts.filter(({ missing }) => missing.length > 0);
  for (const part of lacking) {
    say(howToInstall(part));
  }
  return {
    installed: parts.filter(({ missing }) => missing.length === 0).map(({ engine }) => engine),
    missing: lacking.map(({ engine }) => engine.name),
  };
}

/** Versions of the installed engines, as their packages and programs report them. */
export function installedVersions(): Record<string, string> {
  const versions: Record<string, string> = {};
  for (const name of ENGINES.flatMap(({ packages }) => packages)) {
    const manifest = `${EXTERNAL}/node_modules/${name}/package.json`;
    if (existsSync(manifest)) {
      versions[name] = (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
    }
  }
  for (const name of ["postgres", "redis-server"]) {
    const path = findProgram(name);
    const said = path && execFileSync(path, ["--version"], { encoding: "utf8", env: LIBRARIES });
    const version = said === undefined ? undefined : /\d+(\.\d+)+/.exec(said)?.[0];
    if (version !== undefined) {
      versions[name] = version;
    }
  }
  return versions;
}
