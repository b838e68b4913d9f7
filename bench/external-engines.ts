import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LIBRARIES } from "./peers/external/find-program.mjs";

export interface ExternalEngine {
  /** Engine name, as `serve-engine.mjs` expects it. */
  readonly id: "restate" | "dbos" | "bullmq";
  readonly name: string;
  /** Packages required in bench/peers/external/node_modules. */
  readonly packages: readonly string[];
  /** Required programs that npm does not install. */
  readonly programs: readonly string[];
  readonly install: readonly string[];
}

export const EXTERNAL = fileURLToPath(new URL("peers/external", import.meta.url).href);

const NPM = "npm install --ignore-scripts --prefix bench/peers/external";

export const ENGINES: readonly ExternalEngine[] = [
  {
    id: "restate",
    name: "Restate",
    packages: ["@restatedev/restate-server", "@restatedev/restate-sdk"],
    programs: [],
    install: [NPM],
  },
  {
    id: "dbos",
    name: "DBOS with PostgreSQL",
    packages: ["@dbos-inc/dbos-sdk", "pg"],
    programs: ["initdb", "postgres"],
    install: [NPM, "apt-get install postgresql"],
  },
  {
    id: "bullmq",
    name: "BullMQ with Redis (log synced each second)",
    packages: ["bullmq", "ioredis"],
    programs: ["redis-server"],
    install: [
      NPM,
      "apt-get install redis-server, or without installing it: cd bench/peers/external && " +
        "apt-get download redis-server redis-tools libjemalloc2 liblua5.1-0 liblzf1 lua-cjson lua-bitop && " +
        "for deb in *.deb; do dpkg -x $deb redis; done && rm *.deb",
    ],
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

/** Versions of the installed engines, as their packages and programs report them. */
export function installedVersions(
  findProgram: (name: string) => string | undefined,
): Record<string, string> {
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
