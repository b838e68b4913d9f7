/**
 * Replaces the import of `cloudflare:workers` in a Worker's bundle (and re-exports the rest of that module), and wraps
 * its entry: counts the operations that the platform bills. Rows are counted at the storage, statement by statement
 * (the cursor of an `exec` with several statements reports the last only), calls where they arrive. It also moves the
 * clock forward, to count retention, and can replace the runner, to choose the size of a report.
 */
import { DurableObject as PlatformObject } from "cloudflare:workers";
import { type ChunkHint, type LastAdmit, saturate, workAndReport } from "./counting-load.ts";

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** For all objects of a class. */
interface ObjectCounts {
  /** By method: each RPC and each alarm is a billed request. */
  readonly requests: Record<string, number>;
  rowsRead: number;
  rowsWritten: number;
  alarmsSet: number;
  /** By statement: number of executions, and rows read and written. */
  readonly statements: Record<string, { runs: number; read: number; written: number }>;
  /** Milliseconds of methods that never wait, by method. */
  readonly bodyMs: Record<string, number[]>;
  /** Milliseconds during which some call was under way, summed over objects. */
  activeMs: number;
}

interface Counts {
  http: number;
  readonly objects: Record<string, ObjectCounts>;
  readonly d1: {
    queries: number;
    rowsRead: number;
    rowsWritten: number;
    /** Statements by the binding of their database. */
    readonly byDatabase: Record<string, number>;
  };
  readonly r2: Record<string, number>;
  /** Messages sent, by sending call. */
  readonly queueMessages: number[];
  readonly queueInvocations: number[];
}

function emptyCounts(): Counts {
  return {
    http: 0,
    objects: {},
    d1: { queries: 0, rowsRead: 0, rowsWritten: 0, byDatabase: {} },
    r2: {},
    queueMessages: [],
    queueInvocations: [],
  };
}

let counts = emptyCounts();
/** Cursors whose rows are known once they have been read. */
let cursors: {
  readonly of: string;
  readonly statement: string;
  readonly cursor: SqlStorageCursor<never>;
}[] = [];
/** How far the clock is ahead; alarms still use the real clock. */
let aheadMs = 0;
const trueNow = Date.now;
Date.now = () => trueNow() + aheadMs;
const storages = new WeakMap<object, string>();
/** Bytes of each object's database, by class and name. */
const sizes = new Map<string, number>();
const patched = new Set<unknown>();

function countsOf(name: string): ObjectCounts {
  return (counts.objects[name] ??= {
    requests: {},
    rowsRead: 0,
    rowsWritten: 0,
    alarmsSet: 0,
    statements: {},
    bodyMs: {},
    activeMs: 0,
  });
}

/** Replaces methods that native objects of a kind share; once. */
function patch(target: object, methods: Record<string, (original: Method) => Method>): void {
  const shared = Object.getPrototypeOf(target) as Record<string, Method>;
  if (patched.has(shared)) {
    return;
  }
  patched.add(shared);
  for (const [name, wrap] of Object.entries(methods)) {
    shared[name] = wrap(shared[name]!);
  }
}

function patchStorage(storage: DurableObjectStorage): void {
  patch(storage.sql, {
    exec: (original) =>
      function (this: unknown, ...args) {
        const [query, ...bindings] = args as [string, ...unknown[]];
        let last: SqlStorageCursor<never> | undefined;
        for (const statement of statementsOf(query)) {
          const cursor = original.call(this, statement, ...bindings) as SqlStorageCursor<never>;
          cursors.push({ of: storages.get(this as object) ?? "?", statement, cursor });
          last = cursor;
        }
        return last;
      },
  });
  patch(storage, {
    setAlarm: (original) =>
      function (this: unknown, ...args) {
        countsOf(storages.get(this as object) ?? "?").alarmsSet++;
        const [at, ...rest] = args as [number | Date, ...unknown[]];
        return original.call(this, Number(at) - aheadMs, ...rest);
      },
  });
}

/** The statements of a query. Its texts and comments must not contain semicolons. */
function statementsOf(query: string): string[] {
  const statements = query.split(";").filter((part) => part.trim() !== "");
  return statements.length === 0 ? [query] : statements;
}

function patchBindings(env: object): void {
  for (const [name, binding] of Object.entries(env) as [string, unknown][]) {
    if (typeof binding !== "object" || binding === null) {
      continue;
    }
    if ("sendBatch" in binding) {
      patch(binding, {
        send:
          (original) =>
          (...args) => {
            counts.queueMessages.push(1);
            return original.apply(binding, args);
          },
        sendBatch: (original) =>
          function (this: unknown, ...args) {
            counts.queueMessages.push((args[0] as unknown[]).length);
            return original.apply(this, args);
          },
      });
    } else if ("createMultipartUpload" in binding) {
      const counted = (name: string) => (original: Method) =>
        function (this: unknown, ...args: unknown[]) {
          counts.r2[name] = (counts.r2[name] ?? 0) + 1;
          return original.apply(this, args);
        };
      patch(
        binding,
        Object.fromEntries(
          ["get", "head", "put", "list", "delete", "createMultipartUpload"].map((name) => [
            name,
            counted(name),
          ]),
        ),
      );
    } else if ("prepare" in binding) {
      databases.set(binding, name);
      patchDatabase(binding as D1Database);
    }
  }
}

/** The binding of a database, and of the database of a statement. */
const databases = new WeakMap<object, string>();

function patchDatabase(database: D1Database): void {
  const note = (name: string, results: readonly D1Result[]) => {
    for (const { meta } of results) {
      counts.d1.queries++;
      counts.d1.byDatabase[name] = (counts.d1.byDatabase[name] ?? 0) + 1;
      counts.d1.rowsRead += meta.rows_read;
      counts.d1.rowsWritten += meta.rows_written;
    }
  };
  const noted = (original: Method): Method =>
    async function (this: unknown, ...args) {
      const result = (await original.apply(this, args)) as D1Result | D1Result[];
      note(databases.get(this as object) ?? "?", Array.isArray(result) ? result : [result]);
      return result;
    };
  const named = (original: Method): Method =>
    function (this: unknown, ...args) {
      const statement = original.apply(this, args) as object;
      databases.set(statement, databases.get(this as object) ?? "?");
      return statement;
    };
  patch(database, { batch: noted, prepare: named });
  patch(database.prepare("SELECT 1"), {
    bind: named,
    all: noted,
    run: noted,
    // Has no metrics of its own: it returns the first row of `all`.
    first: () =>
      async function (this: unknown, ...[column]) {
        const { results } = await (this as D1PreparedStatement).all<Record<string, unknown>>();
        const row = results[0] ?? null;
        return typeof column === "string" && row !== null ? row[column] : row;
      },
  });
}

/** Counts calls that reach objects of a class from outside: RPC and alarms. */
function countMethods(type: { prototype: object; name: string }, name: string): void {
  for (
    let shared = type.prototype;
    shared !== DurableObject.prototype;
    shared = Object.getPrototypeOf(shared) as object
  ) {
    if (patched.has(shared)) {
      continue;
    }
    patched.add(shared);
    for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(shared))) {
      if (method !== "constructor" && typeof value === "function") {
        Object.defineProperty(shared, method, { value: counted(value as Method, name, method) });
      }
    }
  }
}

const active = new WeakMap<object, { calls: number; sinceMs: number }>();

/** The last submit that reached a workspace, for repetition. */
let lastAdmit: LastAdmit | undefined;

function counted(original: Method, name: string, method: string): Method {
  return function (this: unknown, ...args) {
    const of = countsOf(name);
    if (method === "admit") {
      lastAdmit = {
        objectId: (this as DurableObject).objectId,
        request: args[0] as LastAdmit["request"],
      };
    }
    of.requests[method] = (of.requests[method] ?? 0) + 1;
    const now = performance.now();
    const calls = active.get(this as object) ?? { calls: 0, sinceMs: now };
    active.set(this as object, calls);
    calls.sinceMs = calls.calls === 0 ? now : calls.sinceMs;
    calls.calls++;
    const done = () => {
      calls.calls--;
      of.activeMs += calls.calls === 0 ? performance.now() - calls.sinceMs : 0;
      (this as DurableObject).noteSize();
    };
    const result = original.apply(this, args);
    (of.bodyMs[method] ??= []).push(performance.now() - now);
    if (result instanceof Promise) {
      return result.finally(done);
    }
    done();
    return result;
  };
}

export class DurableObject extends PlatformObject {
  readonly #name: string;

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env as never);
    // The bundler renames classes that share a name.
    this.#name = new.target.name.replace(/^_+|\d+$/g, "");
    storages.set(ctx.storage, this.#name);
    storages.set(ctx.storage.sql, this.#name);
    patchStorage(ctx.storage);
    patchBindings(env);
    countMethods(new.target, this.#name);
  }

  get objectId(): string {
    return this.ctx.id.toString();
  }

  /** Runs the alarm as the platform would, for an object whose clock was moved forward. */
  async fireAlarm(): Promise<void> {
    await (this as unknown as { alarm(): Promise<void> }).alarm();
  }

  noteSize(): void {
    sizes.set(`${this.#name} ${this.ctx.id.toString()}`, this.ctx.storage.sql.databaseSize);
  }
}

interface Handlers {
  readonly fetch: (request: Request, env: object, ctx: ExecutionContext) => unknown;
  readonly queue?: (batch: MessageBatch, env: object, ctx: ExecutionContext) => unknown;
}

/** Tasks in one report of the replaced runner. */
let reportedBy: number | undefined;

/**
 * The Worker with its counters: `GET /__operations` returns them, `DELETE` resets them; `/__saturate` returns the time
 * of one workspace object for a call; `/__forward?ms=` moves the clock forward; `/__expire` wakes the workspace of the
 * last submit; `/__report?by=` replaces the runner.
 */
export function withCounters(worker: Handlers): Handlers {
  return {
    ...worker,
    fetch(request, env, ctx) {
      patchBindings(env);
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/__operations") {
        return response(request.method);
      }
      if (pathname === "/__saturate") {
        return saturate((env as { WORKSPACE: DurableObjectNamespace }).WORKSPACE, lastAdmit);
      }
      if (pathname === "/__forward") {
        aheadMs += Number(searchParams.get("ms"));
        return new Response(String(aheadMs));
      }
      if (pathname === "/__expire") {
        return wakeWorkspace(env as { WORKSPACE: DurableObjectNamespace });
      }
      if (pathname === "/__report") {
        const by = Number(searchParams.get("by"));
        reportedBy = by > 0 ? by : undefined;
        return new Response(String(by));
      }
      counts.http++;
      return worker.fetch(request, env, ctx);
    },
    queue(batch, env, ctx) {
      patchBindings(env);
      counts.queueInvocations.push(batch.messages.length);
      if (reportedBy !== undefined && batch.queue.startsWith("node-tasks")) {
        const runs = (env as { RUN: DurableObjectNamespace }).RUN;
        for (const { body } of batch.messages) {
          ctx.waitUntil(workAndReport(runs, body as ChunkHint, reportedBy));
        }
        return undefined;
      }
      return worker.queue?.(batch, env, ctx);
    },
  };
}

function response(method: string): Response {
  for (const { of, statement, cursor } of cursors.splice(0)) {
    const counted = countsOf(of);
    counted.rowsRead += cursor.rowsRead;
    counted.rowsWritten += cursor.rowsWritten;
    const name = statement.replaceAll(/\s+/g, " ").trim().slice(0, 120);
    const by = (counted.statements[name] ??= { runs: 0, read: 0, written: 0 });
    by.runs++;
    by.read += cursor.rowsRead;
    by.written += cursor.rowsWritten;
  }
  const body = { ...counts, sizes: Object.fromEntries(sizes) };
  if (method === "DELETE") {
    counts = emptyCounts();
    cursors = [];
    sizes.clear();
  }
  return Response.json(body);
}

/** Runs its alarm as if it were due. */
async function wakeWorkspace(env: { WORKSPACE: DurableObjectNamespace }): Promise<Response> {
  if (lastAdmit === undefined) {
    return new Response("No run was submitted yet.", { status: 409 });
  }
  const id = env.WORKSPACE.idFromString(lastAdmit.objectId);
  await (env.WORKSPACE.get(id) as unknown as { fireAlarm(): Promise<void> }).fireAlarm();
  return new Response();
}
