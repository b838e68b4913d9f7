/** Whether an `If-None-Match` header names the tag: weak comparison, lists and `*` (RFC 9110 §13.1.2). */
export function matchesEntityTag(header: string | null, tag: string): boolean {
  if (header === null) {
    return false;
  }
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return (
    header.trim() === "*" ||
    (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some((given) => opaque(given) === opaque(tag))
  );
}
