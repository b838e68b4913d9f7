/** Exceeds one limit at a time, on real bindings behind `limitInvocation`. */
import { DurableObject } from "cloudflare:workers";
import { limitInvocation } from "../../../src/platform/limits.ts";

interface Env {
  readonly OBJECT: DurableObjectNamespace<EchoObject>;
  readonly QUEUE: Queue<unknown>;
  readonly FILES: R2Bucket;
  readonly DB: D1Database;
}

export class EchoObject extends DurableObject<Env> {
  echo(text: string): string {
    return text;
  }

  make(characters: number): string {
    return "x".repeat(characters);
  }

  /** Whether SQLite itself enforces, in this runtime, the limits that the wrappers leave to it. */
  sql(parameters: number, rowBytes: number): string {
    const { sql } = this.ctx.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS rows (value)");
    try {
      sql.exec(
        `SELECT ${"?,".repeat(parameters - 1)}?`,
        ...Array.from({ length: parameters }, () => 1),
      );
      sql.exec("INSERT INTO rows VALUES (?)", "x".repeat(rowBytes));
      return "done";
    } catch (error) {
      return String(error);
    }
  }
}

const MIB = 1024 * 1024;

const DEEDS: Readonly<Record<string, (env: Env) => Promise<unknown>>> = {
  rpcArguments: (env) => stub(env).echo("x".repeat(33 * MIB)),
  rpcResponse: (env) => stub(env).make(33 * MIB),
  rpcFits: async (env) => (await stub(env).echo("é".repeat(1_000))).length,
  message: (env) => env.QUEUE.send({ text: "x".repeat(128_000) }),
  messageInBatch: (env) => env.QUEUE.sendBatch([{ body: 1 }, { body: "é".repeat(64_000) }]),
  messageFits: async (env) => {
    await env.QUEUE.send({ text: "x".repeat(100_000) });
  },
  batchCount: (env) => env.QUEUE.sendBatch(Array.from({ length: 101 }, () => ({ body: 1 }))),
  batchBytes: (env) =>
    env.QUEUE.sendBatch(["a", "b", "c"].map((body) => ({ body: body.repeat(100_000) }))),
  subrequestsToObjects: (env) => times(10_001, () => stub(env).echo("")),
  subrequestsToFiles: async (env) => {
    await times(10_000, () => stub(env).echo(""));
    return env.FILES.head("none");
  },
  subrequestsToDatabase: async (env) => {
    await times(10_000, () => stub(env).echo(""));
    return env.DB.prepare("SELECT ?").bind(1).first();
  },
  connectionsToFiles: (env) => together(7, () => env.FILES.head("none")),
  connectionsToBoth: (env) =>
    together(7, (index) => (index < 4 ? env.FILES.head("none") : env.QUEUE.send(1))),
  connectionsFit: async (env) => {
    for (let round = 0; round < 3; round++) {
      await together(6, (index) => (index < 4 ? env.FILES.head("none") : env.QUEUE.send(1)));
    }
    // Objects and the database are not connections.
    await Promise.all(Array.from({ length: 20 }, () => stub(env).echo("")));
    await Promise.all(Array.from({ length: 20 }, () => env.DB.prepare("SELECT 1").first()));
    await env.FILES.head("none");
    return "done";
  },
  connectionsFailing: async (env) => {
    const bad = () => env.FILES.put("a", "b", { md5: "00".repeat(16) }).catch(() => undefined);
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 6 }, bad));
    }
    return "done";
  },
  subrequestsFit: (env) => times(50, () => env.FILES.head("none")),
  database: async ({ DB }) => {
    const statement = DB.prepare("SELECT ? AS a");
    const [first, second] = await DB.batch<{ a: number }>([statement.bind(1), statement.bind(2)]);
    return [first?.results, second?.results, await statement.bind(3).first("a")];
  },
  files: async ({ FILES }) => {
    await FILES.put("a", "text");
    return (await FILES.get("a"))?.text();
  },
  sqlParameters: (env) => stub(env).sql(101, 1),
  sqlRow: (env) => stub(env).sql(1, 3_000_000),
  sqlFits: (env) => stub(env).sql(100, 1_900_000),
};

function stub(env: Env) {
  return env.OBJECT.get(env.OBJECT.idFromName("one"));
}

async function times(count: number, call: () => Promise<unknown>): Promise<string> {
  for (let done = 0; done < count; done++) {
    await call();
  }
  return "done";
}

/** Concurrent calls; all of them end before the first failure is thrown, as a request should do. */
async function together(count: number, call: (index: number) => Promise<unknown>) {
  const calls = Array.from({ length: count }, async (_, index) => call(index));
  const failed = (await Promise.allSettled(calls)).find(({ status }) => status === "rejected");
  if (failed !== undefined) {
    throw (failed as PromiseRejectedResult).reason;
  }
  return "done";
}

export default {
  queue: () => undefined,
  async fetch(request, env) {
    const deed = DEEDS[new URL(request.url).pathname.slice(1)];
    try {
      const limited = limitInvocation(env);
      return Response.json({ value: (await deed?.(limited)) ?? null });
    } catch (error) {
      const { name, message } = error as Error;
      return Response.json({ error: name, message });
    }
  },
} satisfies ExportedHandler<Env>;
