/** Stores a file's own name beside its bytes: the key contains only part of it, in ASCII. */
const MEMBER = "name";

/** Object metadata for `storedFileName`; percent-encoded, since some stores accept ASCII only. */
export function fileNameMetadata(name: string): Record<string, string> {
  return { [MEMBER]: encodeURIComponent(name.toWellFormed()) };
}

/** Returns the name of a stored file; undefined if none was stored. */
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
