/** Follows a contract's `read_from` (`result.by_key.k.value`, `result.by_key["a b"].items`) on a result document. */
export function readPath(document: unknown, path: string): unknown {
  const steps = [...path.matchAll(/(?:^|\.)([A-Za-z_$][\w$]*)|\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]/g)];
  if (steps.map(([text]) => text).join("") !== path) {
    throw new Error(`"${path}" is not a path this test can follow.`);
  }
  let value = document;
  for (const [, name, quoted, index] of steps) {
    const key = name ?? (quoted === undefined ? index : (JSON.parse(quoted) as string));
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key!)) {
      throw new Error(`"${path}" leads nowhere at "${key}".`);
    }
    value = (value as Record<string, unknown>)[key!];
  }
  return value;
}
