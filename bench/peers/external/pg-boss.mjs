/** pg-boss on its own PostgreSQL, each with its default durability. Only batches: it has queues of jobs, and no workflows. */
import { count } from "./engine.mjs";
import { startPostgres } from "./start-postgres.mjs";

const QUEUE = "bench";
/** Jobs that its worker takes and completes in one statement each: the fastest of 100 to 10,000 here. */
const TAKEN_AT_ONCE = 1_000;
const POLL_MS = 5;

/** @param {string} directory */
export async function startPgBoss(directory) {
  const [{ PgBoss }, { default: pg }] = await Promise.all([import("pg-boss"), import("pg")]);
  const { url, stop: stopDatabase } = await startPostgres(directory);
  const boss = new PgBoss(url);
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  /** Jobs of each batch whose work is still to be done. */
  const left = new Map();
  const worker = await boss.work(
    QUEUE,
    { batchSize: TAKEN_AT_ONCE, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
    async (jobs) => {
      for (const { data } of jobs) {
        count(data.id);
        left.set(data.id, left.get(data.id) - 1);
      }
    },
  );
  return {
    async start(kind, id, n) {
      if (kind !== "batch") {
        throw new Error(`pg-boss has no ${kind}.`);
      }
      left.set(id, n);
      await boss.insert(
        QUEUE,
        Array.from({ length: n }, () => ({ data: { id } })),
      );
      // Does not wait for the worker's next look.
      boss.notifyWorker(worker);
      while (left.get(id) > 0 || (await openJobs(pool)) > 0) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      left.delete(id);
      return n;
    },
    async stop() {
      await boss.stop({ graceful: false });
      await pool.end();
      await stopDatabase();
    },
  };
}

/** Jobs that are not completed: the worker is told to work before the database has that it did. */
async function openJobs(pool) {
  const { rows } = await pool.query(
    "SELECT count(*)::int AS jobs FROM pgboss.job WHERE name = $1 AND state < 'completed'",
    [QUEUE],
  );
  return rows[0].jobs;
}
