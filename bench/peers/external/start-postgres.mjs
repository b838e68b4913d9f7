/** PostgreSQL for the engines that keep their state in it. */
import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "./find-program.mjs";
import { freePort } from "./free-port.mjs";
import { startProgram } from "./start-program.mjs";

/**
 * Starts a separate cluster with its default settings, so that each commit is synced, and returns the address of an empty
 * database. PostgreSQL refuses to run as root, so it then runs as `postgres`, in a temporary folder that this user can
 * access.
 * @param {string} given
 */
export async function startPostgres(given) {
  const port = await freePort();
  const user = process.getuid?.() === 0 ? idsOf("postgres") : {};
  const directory =
    user.uid === undefined ? given : mkdtempSync(join(tmpdir(), "edgeloom-postgres-"));
  if (user.uid !== undefined) {
    chownSync(directory, user.uid, user.gid);
  }
  const data = join(directory, "data");
  const options = { ...user, cwd: directory };
  execFileSync(
    findProgram("initdb"),
    ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--no-instructions"],
    { ...options, stdio: "pipe" },
  );
  const stopProgram = await startProgram(
    findProgram("postgres"),
    ["-D", data, "-p", String(port), "-k", directory, "-c", "listen_addresses=127.0.0.1"],
    port,
    // Fast shutdown: it closes open connections.
    { ...options, stopSignal: "SIGINT" },
  );
  const stop = async () => {
    await stopProgram();
    rmSync(directory, { recursive: true, force: true });
  };
  const { default: pg } = await import("pg");
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client({ host: "127.0.0.1", port, user: "bench", database: "postgres" });
    try {
      await client.connect();
      await client.query("CREATE DATABASE bench");
      return { url: `postgresql://bench@127.0.0.1:${port}/bench`, stop };
    } catch (error) {
      // It listens before it accepts sessions.
      if (tries > 50) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function idsOf(name) {
  const id = (flag) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
