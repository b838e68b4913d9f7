/**
 * The floor: an object that only writes its rows to SQLite, each step durable before the next. No definition, no
 * validation, no idempotency, no index, no outputs.
 */
import { DurableObject } from "cloudflare:workers";

interface Env {
  readonly BARE: DurableObjectNamespace<BareObject>;
  readonly TASKS: Queue<Task>;
  readonly FILES: R2Bucket;
}

/** One row to write, delivered by a queue. */
interface Task {
  readonly object: string;
  readonly step: number;
  /** Bytes of a file to store before the row is written; 0 for none. */
  readonly bytes: number;
}

/** Rows in one commit of a fan-out, and messages in one call of the queue. */
const ROWS_A_COMMIT = 100;
const WATCH_MS = 500;
const CREATED_AT_ONCE = 8;
/** The most that Cloudflare lets one invocation do at once. */
const PUTS_AT_ONCE = 6;

export class BareObject extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;
  #isRunning = false;

  /** One row per step, each synced. Continues after the response, as a run does. */
  startChain(steps: number): void {
    this.#open(steps);
    this.ctx.waitUntil(this.#runChain());
  }

  /** The same under an alarm that resumes it after a crash. */
  async startWatchedChain(steps: number): Promise<void> {
    this.#open(steps);
    await this.ctx.storage.setAlarm(Date.now() + WATCH_MS);
    this.ctx.waitUntil(this.#runChain());
  }

  override async alarm(): Promise<void> {
    if (!this.status().done) {
      await this.ctx.storage.setAlarm(Date.now() + WATCH_MS);
      // The chain from before the crash has ended with its process; a running chain is left alone.
      if (!this.#isRunning) {
        await this.#runChain();
      }
    }
  }

  /** A hundred rows at a time, each commit synced. */
  startFan(rows: number): void {
    this.#open(rows);
    this.ctx.waitUntil(this.#runFan(rows));
  }

  /** A message for each row, a hundred at a time; a consumer stores a file for each and returns them. */
  startTasks(rows: number, bytes: number): void {
    this.#open(rows);
    this.ctx.waitUntil(this.#sendTasks(rows, bytes));
  }

  /** Stops sending and receiving. */
  cancel(): void {
    this.#sql.exec("UPDATE run SET goal = 0");
  }

  /** Writes rows received from the queue in one commit. Duplicates change nothing. */
  async report(steps: readonly number[]): Promise<void> {
    if (this.#goal() === 0) {
      return;
    }
    this.#sql.exec(
      "INSERT OR IGNORE INTO step SELECT value, value FROM json_each(?)",
      JSON.stringify(steps),
    );
    await this.ctx.storage.sync();
  }

  create(): void {
    this.#open(0);
  }

  status(): { done: boolean; value: number; settled: number; effects: number; endedMs: number } {
    const { value, count } = this.#sql
      .exec<{ value: number; count: number }>(
        "SELECT coalesce(max(value), 0) AS value, count(*) AS count FROM step",
      )
      .one();
    const { goal, ended } = this.#sql
      .exec<{ goal: number; ended: number }>("SELECT goal, ended FROM run")
      .one();
    return { done: count >= goal, value, settled: count, effects: count, endedMs: ended };
  }

  #goal(): number {
    return this.#sql.exec<{ goal: number }>("SELECT goal FROM run").one().goal;
  }

  #open(goal: number): void {
    this.#sql.exec("CREATE TABLE run (goal INTEGER, ended INTEGER)");
    this.#sql.exec("CREATE TABLE step (id INTEGER PRIMARY KEY, value INTEGER)");
    this.#sql.exec("INSERT INTO run VALUES (?, 0)", goal);
  }

  async #runChain(): Promise<void> {
    this.#isRunning = true;
    const { value } = this.status();
    const goal = this.#goal();
    for (let step = value + 1; step <= goal; step += 1) {
      this.#sql.exec("INSERT INTO step VALUES (?, ?)", step, step);
      await this.ctx.storage.sync();
    }
    this.#sql.exec("UPDATE run SET ended = ?", Date.now());
    this.#isRunning = false;
  }

  async #runFan(rows: number): Promise<void> {
    for (const ids of commits(rows)) {
      this.#sql.exec("INSERT INTO step SELECT value, value FROM json_each(?)", JSON.stringify(ids));
      await this.ctx.storage.sync();
    }
  }

  async #sendTasks(rows: number, bytes: number): Promise<void> {
    const object = this.ctx.id.toString();
    for (const ids of commits(rows)) {
      if (this.#goal() === 0) {
        return;
      }
      await this.env.TASKS.sendBatch(ids.map((step) => ({ body: { object, step, bytes } })));
    }
  }
}

/** The numbers from 1 to `rows`, in batches of one commit. */
function commits(rows: number): number[][] {
  return Array.from({ length: Math.ceil(rows / ROWS_A_COMMIT) }, (_, lot) =>
    Array.from(
      { length: Math.min(ROWS_A_COMMIT, rows - lot * ROWS_A_COMMIT) },
      (__, i) => lot * ROWS_A_COMMIT + i + 1,
    ),
  );
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const id = url.searchParams.get("id");
    if (id !== null) {
      const object = env.BARE.get(env.BARE.idFromString(id));
      if (request.method === "DELETE") {
        await object.cancel();
      }
      return Response.json(await object.status());
    }
    if (url.pathname === "/many") {
      await createMany(env, Number(url.searchParams.get("n")));
      return Response.json({ done: true });
    }
    const objectId = env.BARE.newUniqueId();
    const stub = env.BARE.get(objectId);
    const n = Number(url.searchParams.get("n") ?? 0);
    switch (url.pathname) {
      case "/chain":
        await stub.startChain(n);
        break;
      case "/watched-chain":
        await stub.startWatchedChain(n);
        break;
      case "/fan":
        await stub.startFan(n);
        break;
      case "/tasks":
        await stub.startTasks(n, Number(url.searchParams.get("bytes") ?? 0));
        break;
      default:
        await stub.create();
    }
    return Response.json({ id: objectId.toString() }, { status: 202 });
  },

  async queue(batch, env) {
    const byObject = Map.groupBy(batch.messages, ({ body }) => body.object);
    await Promise.all(
      [...byObject].map(async ([object, messages]) => {
        const tasks = messages.map(({ body }) => body);
        await storeFiles(env.FILES, tasks);
        await env.BARE.get(env.BARE.idFromString(object)).report(tasks.map(({ step }) => step));
      }),
    );
  },
} satisfies ExportedHandler<Env, Task>;

/** As many new objects with a row each, created from within the Worker. */
async function createMany(env: Env, objects: number): Promise<void> {
  let left = objects;
  const lane = async () => {
    for (; left > 0;) {
      left -= 1;
      await env.BARE.get(env.BARE.newUniqueId()).create();
    }
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, lane));
}

async function storeFiles(files: R2Bucket, tasks: readonly Task[]): Promise<void> {
  const left = tasks.filter(({ bytes }) => bytes > 0).values();
  const lane = async () => {
    for (const { object, step, bytes } of left) {
      await files.put(`${object}/${step}.png`, new Uint8Array(bytes), {
        httpMetadata: { contentType: "image/png" },
      });
    }
  };
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, lane));
}
