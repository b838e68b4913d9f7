/**
 * The entries of an object or of a Worker's entry point: checks that run before every method. One declaration per class
 * lists its methods with the schemas of their arguments. A call is refused without effect if the Worker's environment
 * is invalid, if an argument does not match its schema or has an unknown version, or if there are too many arguments
 * (docs/decisions/entries.md).
 */
import type { Check, Misfit, Shape } from "../../src/lib/json/shape.ts";
import { createLogger } from "../../src/platform/logger.ts";

/** Schemas of the arguments of each method, in order. */
export type Entries<Api> = {
  readonly [M in keyof Api]: Api[M] extends (...args: infer A) => unknown
    ? { readonly [I in keyof A]: Shape<A[I]> }
    : never;
};

export type RefusalCode = Misfit["kind"] | "misconfigured";

/** A call was refused at its entry without effect. Its code is part of the error over RPC. */
export class RefusedCallError extends Error {
  override readonly name = "RefusedCallError";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** How long an alarm is postponed while the Worker's environment is invalid. */
const UNUSABLE_RETRY_MS = 60_000;

type Method = (this: Served, ...args: unknown[]) => unknown;

interface Served {
  readonly env: object;
  readonly ctx: Partial<Pick<DurableObjectState, "storage">>;
}

const declared = new WeakMap<object, ReadonlySet<string>>();

/** Names of the methods of a class that its declaration must cover, including `fetch` and `alarm` if it has them. */
export function entriesOf(prototype: object): ReadonlySet<string> {
  return declared.get(prototype) ?? new Set();
}

/**
 * Wraps the methods of a class with the checks. `isEnvUsable` returns whether its Worker may serve; the executor checks
 * that itself and passes none. `fetch` and `alarm` have no schema: `fetch` parses its own request, and an alarm that
 * may not run is postponed, not lost.
 */
export function parseEntries<Api>(
  served: { readonly prototype: Api & object; readonly name: string },
  isEnvUsable: ((env: object) => boolean) | null,
  entries: Entries<Api>,
): void {
  const { prototype, name } = served;
  const names = new Set<string>();
  const wrap = (method: string, make: (original: Method) => Method) => {
    const original = (prototype as Record<string, unknown>)[method] as Method;
    Object.defineProperty(prototype, method, {
      value: make(original),
      writable: true,
      configurable: true,
    });
    names.add(method);
  };
  const isServing = ({ env }: Served) => isEnvUsable === null || isEnvUsable(env);
  for (const [method, shapes] of Object.entries<readonly Check[]>(entries)) {
    wrap(method, (original) => {
      return function entry(this: Served, ...args) {
        if (!isServing(this)) {
          return Promise.reject(misconfigured(`${name}.${method}`));
        }
        const misfit = misfitOf(args, shapes);
        if (misfit !== undefined) {
          return Promise.reject(refusal(`${name}.${method}`, misfit));
        }
        return original.apply(this, args);
      };
    });
  }
  if (Object.hasOwn(prototype, "fetch")) {
    wrap("fetch", (original) => {
      return function entry(this: Served, ...args) {
        if (!isServing(this)) {
          return Promise.reject(misconfigured(`${name}.fetch`));
        }
        return original.apply(this, args);
      };
    });
  }
  if (Object.hasOwn(prototype, "alarm")) {
    wrap("alarm", (original) => {
      return function entry(this: Served, ...args) {
        return isServing(this)
          ? original.apply(this, args)
          : this.ctx.storage?.setAlarm(Date.now() + UNUSABLE_RETRY_MS);
      };
    });
  }
  declared.set(prototype, names);
}

/**
 * Returns the value if it matches its schema (a `fetch` request is returned unchecked, because `fetch` parses it).
 * Throws RefusedCallError.
 */
export function parsed<T>(entry: string, shape: Shape<T>, value: unknown): T {
  const misfit = shape(value);
  if (misfit !== undefined) {
    throw refusal(entry, misfit);
  }
  return value as T;
}

function misfitOf(args: readonly unknown[], shapes: readonly Check[]): Misfit | undefined {
  if (args.length > shapes.length) {
    return {
      kind: "invalid",
      path: "",
      rule: `is one of ${String(args.length)} arguments, and the method takes ${String(shapes.length)}`,
    };
  }
  for (let index = 0; index < shapes.length; index++) {
    const misfit = shapes[index]?.(args[index]);
    if (misfit !== undefined) {
      return shapes.length === 1
        ? misfit
        : { ...misfit, path: `argument ${String(index + 1)}${misfit.path}` };
    }
  }
  return undefined;
}

function refusal(entry: string, { kind, path, rule }: Misfit): RefusedCallError {
  const [object, method] = entry.split(".");
  const message = `${entry}: ${path === "" ? "the argument" : path} ${rule}.`;
  createLogger({ service: "edgeloom", object }).error("rpc.refused", {
    method,
    code: kind,
    message,
  });
  return new RefusedCallError(kind, message);
}

/** The check of the environment has logged the reasons once. */
function misconfigured(entry: string): RefusedCallError {
  return new RefusedCallError(
    "misconfigured",
    `${entry}: the environment of this Worker is invalid; its log has the reasons.`,
  );
}
