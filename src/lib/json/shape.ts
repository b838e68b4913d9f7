/**
 * Checks of values that cross from one object or Worker to another. A shape is typed by the type
 * that both sides use, so a member that is added to the type must be added to the shape.
 *
 * A check copies nothing and throws nothing: a report of 64 outcomes is checked in some
 * microseconds, while a parser that builds the value again takes as long as the rest of the call
 * (docs/decisions/entries.md). Unknown members are ignored: code that adds an optional member may
 * call code that does not know it yet. A change of meaning raises `v`.
 */

/**
 * The position of an invalid member, and the rule that it breaks. It never contains the value
 * itself.
 */
export interface Misfit {
  readonly kind: "invalid" | "unknown_version";
  /** `.reports[3].fence`; empty for the whole value. */
  readonly path: string;
  /** Continues the path: `must be a string`. */
  readonly rule: string;
}

/** Returns undefined if the value is valid. */
export type Check = (value: unknown) => Misfit | undefined;

/** A check of values of one type. `of` exists for the type checker only. */
export interface Shape<T> extends Check {
  readonly of?: (value: T) => T;
}

/** For an optional member. */
export interface OptionalShape<T> {
  readonly isOptional: true;
  readonly shape: Shape<T>;
}

type Members<T> = {
  readonly [K in keyof T]-?: undefined extends T[K]
    ? OptionalShape<Exclude<T[K], undefined>>
    : Shape<T[K]>;
};

/** The members of a union whose discriminator `K` may be `V`. */
type Variant<T, K extends keyof T, V> = T extends unknown ? (V extends T[K] ? T : never) : never;

function rule<T>(fits: (value: unknown) => boolean, text: string): Shape<T> {
  const misfit: Misfit = { kind: "invalid", path: "", rule: text };
  return (value) => (fits(value) ? undefined : misfit);
}

export const text: Shape<string> = rule((value) => typeof value === "string", "must be a string");

export const flag: Shape<boolean> = rule(
  (value) => typeof value === "boolean",
  "must be true or false",
);

export const bytes: Shape<Uint8Array> = rule(
  (value) => value instanceof Uint8Array,
  "must be bytes",
);

/** Any number, including NaN, for values that the reader checks itself. */
export const number: Shape<number> = rule((value) => typeof value === "number", "must be a number");

export const integer: Shape<number> = rule(
  (value) => Number.isSafeInteger(value),
  "must be a whole number",
);

export function atLeast(min: number): Shape<number> {
  return rule(
    (value) => Number.isSafeInteger(value) && (value as number) >= min,
    `must be a whole number of at least ${String(min)}`,
  );
}

/** A count, an index, or a time in milliseconds. */
export const whole: Shape<number> = atLeast(0);

/** Any value, for values that the reader checks and rejects itself. */
export function unchecked<T>(): Shape<T> {
  return () => undefined;
}

export function literal<const T extends string | number | boolean | null>(
  ...known: readonly T[]
): Shape<T> {
  const values = new Set<unknown>(known);
  return rule((value) => values.has(value), `must be ${known.map(String).join(" or ")}`);
}

/** The version of a message. It is the first member of a shape, because the others depend on it. */
export function version<const V extends number>(known: V): Shape<V> {
  const misfit: Misfit = {
    kind: "invalid",
    path: "",
    rule: `must be the number of a version; this code knows version ${String(known)}`,
  };
  return (value) => {
    if (value === known) {
      return undefined;
    }
    return Number.isSafeInteger(value)
      ? {
          kind: "unknown_version",
          path: "",
          rule: `is version ${String(value)}, and this code knows version ${String(known)}`,
        }
      : misfit;
  };
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null ? undefined : shape(value));
}

export function optional<T>(shape: Shape<T>): OptionalShape<T> {
  return { isOptional: true, shape };
}

/** A list of at most `max` items. */
export function list<T>(shape: Shape<T>, max = Number.POSITIVE_INFINITY): Shape<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) {
      return { kind: "invalid", path: "", rule: "must be a list" };
    }
    if (value.length > max) {
      return {
        kind: "invalid",
        path: "",
        rule: `must have at most ${String(max)} items and has ${String(value.length)}`,
      };
    }
    for (let index = 0; index < value.length; index++) {
      const misfit = shape(value[index]);
      if (misfit !== undefined) {
        return { ...misfit, path: `[${String(index)}]${misfit.path}` };
      }
    }
    return undefined;
  };
}

const NO_OBJECT: Misfit = { kind: "invalid", path: "", rule: "must be an object" };

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object with these members, checked in their order. */
export function object<T extends object>(members: Members<T>): Shape<T> {
  const checks = Object.entries<Check | { readonly shape: Check }>(members).map(([name, member]) =>
    typeof member === "function"
      ? { name, shape: member, isOptional: false }
      : { name, shape: member.shape, isOptional: true },
  );
  return (value) => {
    if (!isRecord(value)) {
      return NO_OBJECT;
    }
    for (const { name, shape, isOptional } of checks) {
      const member = value[name];
      if (member === undefined && isOptional) {
        continue;
      }
      const misfit = shape(member);
      if (misfit !== undefined) {
        return { ...misfit, path: `.${name}${misfit.path}` };
      }
    }
    return undefined;
  };
}

/** An object of one of several shapes, selected by one member. */
export function variants<T extends object, const K extends keyof T & string>(
  member: K,
  shapes: { readonly [V in T[K] & string]: Shape<Variant<T, K, V>> },
): Shape<T> {
  const byName = new Map(Object.entries<Check>(shapes));
  const names = [...byName.keys()].join(" or ");
  return (value) => {
    if (!isRecord(value)) {
      return NO_OBJECT;
    }
    const shape = byName.get(value[member] as string);
    return shape === undefined
      ? { kind: "invalid", path: `.${member}`, rule: `must be ${names}` }
      : shape(value);
  };
}
