/**
 * The file name of a `Content-Disposition` header (RFC 6266), with the extended form before the
 * plain one; undefined if there is none.
 */
export function dispositionName(header: string | null): string | undefined {
  if (header === null) {
    return undefined;
  }
  const exact = /(?:^|;)\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1];
  if (exact !== undefined) {
    try {
      return decodeURIComponent(exact);
    } catch {
      // The extended form is malformed: try the plain form.
    }
  }
  const plain = /(?:^|;)\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header);
  const name = plain?.[1]?.replaceAll(/\\(.)/g, "$1") ?? plain?.[2];
  return name === "" ? undefined : name;
}
