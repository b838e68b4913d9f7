/** The arguments and flags of a call. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Wrong usage; its message is shown with the usage of the command. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function required(value: string | undefined, name: string): string {
  if (value === undefined || value === "") {
    throw new UsageError(`${name} is missing.`);
  }
  return value;
}

/** Returns the text of a flag; undefined if it was not given. */
export function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

export function listOf(flags: Flags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}
