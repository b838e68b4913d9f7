/**
 * Production's limits on one invocation which a local workerd does not enforce (ARCHITECTURE.md).
 * The local runtime itself refuses what is too large for RPC, for a queue and for SQLite; a test
 * breaks each of those too, so that a runtime that stops refusing is noticed.
 */

/** Calls to bindings of one invocation. */
const SUBREQUESTS_MAX = 10_000;

/**
 * Calls to R2, queues and services that one invocation has open at the same time. Cloudflare makes
 * the seventh wait, which costs what was meant to be saved: nothing of ours may count on more.
 */
const CONNECTIONS_MAX = 6;

/** A limit of production was met. Never caught: the caller has a fault that deployment would show. */
export class PlatformLimitError extends Error {
  override readonly name = "PlatformLimitError";
}

type Callable = (...args: unknown[]) => unknown;

/** What becomes of a method's call: `call` runs it on the real binding. */
type Guard = (method: string, args: unknown[], call: () => unknown) => unknown;

/** What one invocation has used. */
class Spending {
  #subrequests = 0;
  #connections = 0;

  /** Counts a call. Throws PlatformLimitError at the 10,001st. */
  subrequest(what: string): void {
    this.#subrequests++;
    if (this.#subrequests > SUBREQUESTS_MAX) {
      throw new PlatformLimitError(
        `${what} is subrequest ${this.#subrequests} of one invocation; Cloudflare allows ${SUBREQUESTS_MAX}. Do it in batches, or in several invocations.`,
      );
    }
  }

  /** Holds a connection while the call runs. Throws PlatformLimitError where six are open. */
  connection(what: string, call: () => unknown): unknown {
    if (this.#connections >= CONNECTIONS_MAX) {
      throw new PlatformLimitError(
        `${what} would be connection ${this.#connections + 1} that one invocation has open at once; Cloudflare allows ${CONNECTIONS_MAX}. Do it in sixes.`,
      );
    }
    const result = call();
    if (!(result instanceof Promise)) {
      return result;
    }
    this.#connections++;
    return result.finally(() => {
      this.#connections--;
    });
  }
}

const originals = new WeakMap<object, object>();

/**
 * The same bindings for one invocation, throwing PlatformLimitError at its subrequest 10,001 and at
 * its seventh connection. For tests and the local mode; make it anew for each invocation. A binding
 * is wrapped when it is first asked for, so that an invocation pays for what it uses.
 */
export function limitInvocation<E extends object>(env: E): E {
  const spending = new Spending();
  const limited = new Map<PropertyKey, unknown>();
  const proxy = new Proxy(env, {
    get(target, name) {
      if (!limited.has(name)) {
        limited.set(name, limitBinding(String(name), Reflect.get(target, name), spending));
      }
      return limited.get(name);
    },
  });
  originals.set(proxy, env);
  return proxy;
}

/** The bindings behind `limitInvocation`, for what is remembered by them; others are themselves. */
export function unlimited(env: object): object {
  return originals.get(env) ?? env;
}

function limitBinding(name: string, binding: unknown, spending: Spending): unknown {
  if (typeof binding !== "object" || binding === null) {
    return binding;
  }
  if ("prepare" in binding) {
    return limitDatabase(name, binding as D1Database, spending);
  }
  if ("idFromName" in binding) {
    const calling: Guard = (method, _args, call) => {
      spending.subrequest(`${name}.${method}`);
      return call();
    };
    // Making ids and stubs costs nothing; calling through a stub does.
    return guarded(binding, (method, _args, call) => {
      const result = call();
      return method === "get" || method === "getByName"
        ? guarded(result as object, calling)
        : result;
    });
  }
  const isConnected = ["sendBatch", "createMultipartUpload", "fetch"].some(
    (member) => member in binding,
  );
  return isConnected
    ? guarded(binding, (method, _args, call) => {
        spending.subrequest(`${name}.${method}`);
        return spending.connection(`${name}.${method}`, call);
      })
    : binding;
}

/** Each run of a statement is a subrequest, a batch is one. */
function limitDatabase(name: string, database: D1Database, spending: Spending): unknown {
  const statements = new WeakMap<object, D1PreparedStatement>();
  const limitStatement = (statement: D1PreparedStatement): unknown => {
    const limited = guarded(statement, (method, _args, call) => {
      if (method === "bind") {
        return limitStatement(call() as D1PreparedStatement);
      }
      spending.subrequest(`${name}.${method}`);
      return call();
    });
    statements.set(limited, statement);
    return limited;
  };
  return guarded(database, (method, args, call) => {
    if (method === "prepare") {
      return limitStatement(call() as D1PreparedStatement);
    }
    spending.subrequest(`${name}.${method}`);
    if (method !== "batch") {
      return call();
    }
    const given = args[0] as readonly D1PreparedStatement[];
    return database.batch(given.map((statement) => statements.get(statement) ?? statement));
  });
}

/** An object whose methods pass through the guard; the real one stays `this` of every call. */
function guarded<T extends object>(target: T, guard: Guard): T {
  return new Proxy(target, {
    get(_target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function" || typeof property !== "string" || property === "then") {
        return member;
      }
      return (...args: unknown[]) =>
        guard(property, args, () => Reflect.apply(member as Callable, target, args));
    },
  });
}
