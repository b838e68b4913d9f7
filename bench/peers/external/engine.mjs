/**
 * The small HTTP interface of each external engine, the same as the peers': `POST /chain?n=`, `POST /fan?n=` and
 * `POST /batch?n=`, which makes as many runs of one step, return 202 with an id, `GET /?id=` returns whether it has ended. Plain JavaScript, because these packages are not installed
 * where the project is type-checked.
 */
import { createServer } from "node:http";

const KINDS = { "/fan": "fan", "/batch": "batch" };

/** Steps of each run, counted inside the step, every time it runs. */
export const made = new Map();

/** @param {string} id */
export function count(id) {
  made.set(id, (made.get(id) ?? 0) + 1);
}

/** The result of element `index` (from 0) of a fan-out. */
export function line(index) {
  return `item ${(index + 1) * 2}`;
}

/** Runs that an engine without a call for many is asked for at once. */
const AT_ONCE = 100;

/**
 * Makes `n` runs, many at once, and resolves with their number when all have ended.
 * @param {number} n
 * @param {(index: number) => Promise<unknown>} run
 */
export async function startMany(n, run) {
  let next = 0;
  const worker = async () => {
    while (next < n) {
      next += 1;
      await run(next - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return n;
}

/**
 * Serves an engine on the loopback interface and says `ready`.
 * @param {number} port
 * @param {{start(kind: "chain" | "fan" | "batch", id: string, n: number): Promise<unknown>, stop(): Promise<void>}} engine
 *   `start` resolves with the output when the run is over, of a batch with the number of its runs. The run continues even
 *   if nobody waits for it.
 */
export function serve(port, engine) {
  const runs = new Map();
  let next = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const answer = (status, body) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (request.method === "GET") {
      const id = url.searchParams.get("id") ?? "";
      const run = runs.get(id);
      const effects = made.get(id) ?? 0;
      answer(run === undefined ? 404 : 200, { ...run, settled: effects, effects });
      return;
    }
    next += 1;
    const id = `run-${process.pid}-${next}`;
    const run = { done: false };
    runs.set(id, run);
    engine.start(KINDS[url.pathname] ?? "chain", id, Number(url.searchParams.get("n"))).then(
      (value) => Object.assign(run, { done: true, value }),
      (error) => Object.assign(run, { done: true, error: String(error?.stack ?? error) }),
    );
    answer(202, { id });
  });
  server.listen(port, "127.0.0.1", () => console.log("ready"));
  const stop = () => {
    server.close();
    server.closeAllConnections();
    engine.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}
