/** DBOS on its own PostgreSQL, with its default durability; one `runStep` per step. */
import { count, line, startMany } from "./engine.mjs";
import { startPostgres } from "./start-postgres.mjs";

/** @param {string} directory */
export async function startDbos(directory) {
  const { DBOS } = await import("@dbos-inc/dbos-sdk");
  const { url, stop: stopDatabase } = await startPostgres(directory);
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: url,
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
