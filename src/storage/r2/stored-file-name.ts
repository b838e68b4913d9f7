/** A file's own name beside its bytes: a key holds no more than a part of it, in ASCII. */
const MEMBER = "name";

/** What is stored with an object for `storedFileName`; percent-encoded, since some stores take ASCII only. */
export function fileNameMetadata(name: string): Record<string, string> {
  return { [MEMBER]: encodeURIComponent(name.toWellFormed()) };
}

/** The name of a stored file; undefined where none was stored. */
export function storedFileName(
  metadata: Readonly<Record<string, string>> | undefined,
): string | undefined {
  const encoded = metadata?.[MEMBER];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
