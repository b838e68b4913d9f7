/**
 * The floor: an object that does nothing but write its rows to SQLite, each step durable before
 * the next. No definition, no validation, no idempotency, no index, no outputs.
 */
import { DurableObject } from "cloudflare:workers";

interface Env {
  readonly BARE: DurableObjectNamespace<BareObject>;
}

/** Rows in one commit of a fan-out. */
const ROWS_A_COMMIT = 100;

export class BareObject extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;

  /** One row a step, each synced. Goes on after the answer, as a run does. */
  startChain(steps: number): void {
    this.#open(steps);
    this.ctx.waitUntil(this.#runChain(steps));
  }

  /** Rows a hundred at a time, each commit synced. */
  startFan(rows: number): void {
    this.#open(rows);
    this.ctx.waitUntil(this.#runFan(rows));
  }

  create(): void {
    this.#open(0);
  }

  status(): { done: boolean; value: number } {
    const { goal } = this.#sql.exec<{ goal: number }>("SELECT goal FROM run").one();
    const { value, count } = this.#sql
      .exec<{ value: number; count: number }>(
        "SELECT coalesce(max(value), 0) AS value, count(*) AS count FROM step",
      )
      .one();
    return { done: count >= goal, value };
  }

  #open(goal: number): void {
    this.#sql.exec("CREATE TABLE run (goal INTEGER)");
    this.#sql.exec("CREATE TABLE step (id INTEGER PRIMARY KEY, value INTEGER)");
    this.#sql.exec("INSERT INTO run VALUES (?)", goal);
  }

  async #runChain(steps: number): Promise<void> {
    for (let step = 1; step <= steps; step += 1) {
      this.#sql.exec("INSERT INTO step VALUES (?, ?)", step, step);
      await this.ctx.storage.sync();
    }
  }

  async #runFan(rows: number): Promise<void> {
    for (let first = 1; first <= rows; first += ROWS_A_COMMIT) {
      const ids = Array.from(
        { length: Math.min(ROWS_A_COMMIT, rows - first + 1) },
        (_, i) => first + i,
      );
      this.#sql.exec("INSERT INTO step SELECT value, value FROM json_each(?)", JSON.stringify(ids));
      await this.ctx.storage.sync();
    }
  }
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const id = url.searchParams.get("id");
    if (id !== null) {
      return Response.json(await env.BARE.get(env.BARE.idFromString(id)).status());
    }
    const objectId = env.BARE.newUniqueId();
    const stub = env.BARE.get(objectId);
    const n = Number(url.searchParams.get("n") ?? 0);
    switch (url.pathname) {
      case "/chain":
        await stub.startChain(n);
        break;
      case "/fan":
        await stub.startFan(n);
        break;
      default:
        await stub.create();
    }
    return Response.json({ id: objectId.toString() }, { status: 202 });
  },
} satisfies ExportedHandler<Env>;
