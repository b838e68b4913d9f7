/**
 * Whether an `If-None-Match` header contains the tag: weak comparison, lists and `*` (RFC 9110
 * §13.1.2).
 */
export function matchesEntityTag(header: string | null, tag: string): boolean {
  return (
    header !== null && (isAny(header) || tagsIn(header).some((one) => opaque(one) === opaque(tag)))
  );
}

/**
 * Whether an `If-Match` header contains the tag: strong comparison, lists and `*` (RFC 9110
 * §13.1.1).
 */
export function namesEntityTag(header: string, tag: string): boolean {
  return isAny(header) || tagsIn(header).includes(tag);
}

function isAny(header: string): boolean {
  return header.trim() === "*";
}

function tagsIn(header: string): readonly string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, "");
}
