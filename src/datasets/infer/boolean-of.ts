/** `true` and `false` in any letter case (spec 1 §4.4). */
export function booleanOf(field: string): boolean | undefined {
  const lower = field.trim().toLowerCase();
  return lower === "true" ? true : lower === "false" ? false : undefined;
}
