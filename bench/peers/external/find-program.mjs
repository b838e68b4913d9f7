/** Finds programs that are not npm packages: databases of the system, or unpacked beside this file. */
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));

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
    ...(process.env.PATH ?? "").split(delimiter),
    join(HERE, "redis/usr/bin"),
    ...postgresFolders(),
  ];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** For programs unpacked beside this file, which find their libraries there. */
export const LIBRARIES = {
  LD_LIBRARY_PATH: join(HERE, "redis/usr/lib/x86_64-linux-gnu"),
};
