/**
 * Finds programs that are not npm packages: databases of the system, or those of Debian's packages unpacked into the folder
 * that `BENCH_REDIS` names, `redis` beside this file by default.
 */
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const UNPACKED = process.env.BENCH_REDIS ?? join(HERE, "redis");

/** Where Debian installs PostgreSQL's own programs, newest first. */
function postgresFolders() {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, "bin"));
}

/**
 * The first place that has the program, or undefined.
 * @param {string} name
 */
export function findProgram(name) {
  const folders = [
    join(UNPACKED, "usr/bin"),
    ...(process.env.PATH ?? "").split(delimiter),
    ...postgresFolders(),
  ];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** For unpacked programs, which find their libraries there. */
export const LIBRARIES = {
  LD_LIBRARY_PATH: join(UNPACKED, "usr/lib/x86_64-linux-gnu"),
};
