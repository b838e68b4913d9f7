/**
 * Production's limit on subrequests, which a local workerd does not enforce (DESIGN §5 rule 13).
 * The local runtime itself refuses what is too large for RPC, for a queue and for SQLite; a test
 * breaks each of those too, so that a runtime that stops refusing is noticed.
 */

/** Calls to bindings of one invocation. */
const SUBREQUESTS_MAX = 10_000;

/** A limit of production was met. Never caught: the caller has a fault that deployment would show. */
export class PlatformLimitError extends Error {
  override readonly name = "PlatformLimitError";
}

type Callable = (...args: unknown[]) => unknown;

/** What becomes of a method's call: `call` runs it on the real binding. */
type Guard = (method: string, args: unknown[], call: () => unknown) => unknown;

type Spend = (what: string) => void;

/**
 * The same bindings for one invocation, throwing PlatformLimitError at its subrequest 10,001.
 * For tests and the local mode; make it anew for each invocation.
 */
export function limitSubrequests<E extends object>(env: E): E {
  let spent = 0;
  const spend = (what: string) => {
    spent++;
    if (spent > SUBREQUESTS_MAX) {
      throw new PlatformLimitError(
        `${what} is subrequest ${spent} of one invocation; Cloudflare allows ${SUBREQUESTS_MAX}. Do it in batches, or in several invocations.`,
      );
    }
  };
  return Object.fromEntries(
    Object.entries(env).map(([name, binding]) => [name, limitBinding(name, binding, spend)]),
  ) as E;
}

function limitBinding(name: string, binding: unknown, spend: Spend): unknown {
  if (typeof binding !== "object" || binding === null) {
    return binding;
  }
  if ("prepare" in binding) {
    return limitDatabase(name, binding as D1Database, spend);
  }
  const spending: Guard = (method, _args, call) => {
    spend(`${name}.${method}`);
    return call();
  };
  if ("idFromName" in binding) {
    // Making ids and stubs costs nothing; calling through a stub does.
    return guarded(binding, (method, _args, call) => {
      const result = call();
      return method === "get" || method === "getByName"
        ? guarded(result as object, spending)
        : result;
    });
  }
  const isCalled = ["sendBatch", "createMultipartUpload", "fetch"].some((name) => name in binding);
  return isCalled ? guarded(binding, spending) : binding;
}

/** Each run of a statement is a subrequest, a batch is one. */
function limitDatabase(name: string, database: D1Database, spend: Spend): unknown {
  const originals = new WeakMap<object, D1PreparedStatement>();
  const limitStatement = (statement: D1PreparedStatement): unknown => {
    const limited = guarded(statement, (method, _args, call) => {
      if (method === "bind") {
        return limitStatement(call() as D1PreparedStatement);
      }
      spend(`${name}.${method}`);
      return call();
    });
    originals.set(limited, statement);
    return limited;
  };
  return guarded(database, (method, args, call) => {
    if (method === "prepare") {
      return limitStatement(call() as D1PreparedStatement);
    }
    spend(`${name}.${method}`);
    if (method !== "batch") {
      return call();
    }
    const statements = args[0] as readonly D1PreparedStatement[];
    return database.batch(statements.map((statement) => originals.get(statement) ?? statement));
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
