/**
 * The entries of an object or of a Worker's entry point: what every call meets before the method does.
 * One declaration a class names all its methods with the shapes of their arguments. A call is refused
 * before it has any effect where the Worker's environment is not usable, where an argument does not have
 * its shape or comes with a version that this code does not know, and where there are more arguments
 * than the method has (docs/decisions/entries.md).
 */
import type { Check, Misfit, Shape } from "../../src/lib/shape.ts";
import { createLogger } from "../../src/platform/logger.ts";

/** Shapes of the arguments of each method, in their order. */
export type Entries<Api> = {
  readonly [M in keyof Api]: Api[M] extends (...args: infer A) => unknown
    ? { readonly [I in keyof A]: Shape<A[I]> }
    : never;
};

export type RefusalCode = Misfit["kind"] | "misconfigured";

/** A call was refused at its entry, and nothing was done. Its code travels with it over RPC. */
export class RefusedCallError extends Error {
  override readonly name = "RefusedCallError";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** How long an alarm of a Worker that may not serve is put off. */
const UNUSABLE_RETRY_MS = 60_000;

type Method = (this: Served, ...args: unknown[]) => unknown;

interface Served {
  readonly env: object;
  readonly ctx: Partial<Pick<DurableObjectState, "storage">>;
}

const declared = new WeakMap<object, ReadonlySet<string>>();

/** Names of the methods of a class that its declaration covers, `fetch` and `alarm` among them where it has them. */
export function entriesOf(prototype: object): ReadonlySet<string> {
  return declared.get(prototype) ?? new Set();
}

/**
 * Puts the entries before the methods of a class. `isEnvUsable` says whether its Worker may serve; the
 * executor's own entry answers that in its own way and gives none. `fetch` and `alarm` have no shape:
 * `fetch` parses its request itself, and an alarm that may not run is put off, not lost.
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

/** The value, where it has its shape; for a `fetch`, which parses its own request. Throws RefusedCallError. */
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
      rule: `is one of ${String(args.length)}, and the method takes ${String(shapes.length)}`,
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

/** The check of the environment has logged the reasons, once. */
function misconfigured(entry: string): RefusedCallError {
  return new RefusedCallError(
    "misconfigured",
    `${entry}: this Worker's environment is not usable; its log says why.`,
  );
}
