/** `true` and `false` in any letter case (docs/contract/datasets.md#reading-rules). */
export function booleanOf(field: string): boolean | undefined {
  const lower = field.trim().toLowerCase();
  return lower === "true" ? true : lower === "false" ? false : undefined;
}
