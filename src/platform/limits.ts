/**
 * Production's limits on one invocation that a local workerd does not enforce
 * (docs/limits.md#production-limits-in-local-mode). The local runtime itself enforces the size limits of RPC, queues and
 * SQLite; a test exceeds each of them, to detect a runtime that stops enforcing it.
 */

/** Most calls to bindings in one invocation. */
const SUBREQUESTS_MAX = 10_000;

/**
 * Most concurrent calls to R2, queues and services in one invocation. On Cloudflare the seventh waits, which makes the
 * concurrency useless, so our code must never rely on more.
 */
const CONNECTIONS_MAX = 6;

/** A limit of production was exceeded. Never caught: the caller has a fault that would appear in a deployment. */
export class PlatformLimitError extends Error {
  override readonly name = "PlatformLimitError";
}

type Callable = (...args: unknown[]) => unknown;

/** What to do with a method call; `call` runs it on the real binding. */
type Guard = (method: string, args: unknown[], call: () => unknown) => unknown;

/** The resources that one invocation has used. */
class Spending {
  #subrequests = 0;
  #connections = 0;

  /** Counts a call. Throws PlatformLimitError at call 10,001. */
  subrequest(what: string): void {
    this.#subrequests++;
    if (this.#subrequests > SUBREQUESTS_MAX) {
      throw new PlatformLimitError(
        `${what} is subrequest ${this.#subrequests} of one invocation; Cloudflare allows ${SUBREQUESTS_MAX}. Do it in batches, or in several invocations.`,
      );
    }
  }

  /** Holds a connection while the call runs. Throws PlatformLimitError if six are open. */
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
 * Returns the same bindings for one invocation; they throw PlatformLimitError at subrequest 10,001 and at the seventh
 * connection. For tests and local mode; create them for each invocation. A binding is wrapped on first access, so an
 * invocation pays only for the bindings that it uses.
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

/** Returns the bindings behind `limitInvocation`, for caches keyed by bindings; returns other bindings unchanged. */
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
    // Creating ids and stubs is free; calls through a stub are not.
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

/** Each execution of a statement is a subrequest, and so is a batch. */
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

/** An object whose methods pass through the guard; `this` stays the real object in every call. */
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
