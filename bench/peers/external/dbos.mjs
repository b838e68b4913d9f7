/** DBOS on its own PostgreSQL, with its default durability; one `runStep` per step. */
import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { count, line, startMany } from "./engine.mjs";
import { findProgram } from "./find-program.mjs";
import { freePort } from "./free-port.mjs";
import { startProgram } from "./start-program.mjs";

/** @param {string} directory */
export async function startDbos(directory) {
  const { DBOS } = await import("@dbos-inc/dbos-sdk");
  const { port, stop: stopDatabase } = await startPostgres(directory);
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: `postgresql://bench@127.0.0.1:${port}/bench`,
    logLevel: "error",
    runAdminServer: false,
  });
  const chain = DBOS.registerWorkflow(
    async (id, n) => {
      let value = 0;
      for (let i = 0; i < n; i += 1) {
        const before = value;
        value = await DBOS.runStep(
          () => {
            count(id);
            return Promise.resolve(before + 1);
          },
          { name: `step ${i}` },
        );
      }
      return value;
    },
    { name: "chain" },
  );
  const fan = DBOS.registerWorkflow(
    async (id, n) => {
      const lines = Array.from({ length: n }, (_, i) =>
        DBOS.runStep(
          () => {
            count(id);
            return Promise.resolve(line(i));
          },
          { name: `item ${i}` },
        ),
      );
      return (await Promise.all(lines)).join("\n");
    },
    { name: "fan" },
  );
  await DBOS.launch();
  return {
    async start(kind, id, n) {
      if (kind === "batch") {
        return startMany(n, async (index) => {
          const one = DBOS.startWorkflow(chain, { workflowID: `${id}-${index}` });
          await (await one(id, 1)).getResult();
        });
      }
      const handle = await DBOS.startWorkflow(kind === "fan" ? fan : chain, { workflowID: id })(
        id,
        n,
      );
      return handle.getResult();
    },
    async stop() {
      await DBOS.shutdown();
      await stopDatabase();
    },
  };
}

/**
 * A separate cluster. PostgreSQL refuses to run as root, so it then runs as `postgres`, in a temporary folder that this
 * user can access.
 */
async function startPostgres(given) {
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
      return { port, stop };
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
