/** One range of bytes: `offset` and `length`, both within the file. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Evaluates a `Range` header for a given size (RFC 9110 §14). Undefined means the complete file:
 * there is no header, it has several ranges, or its unit is not bytes; a server may ignore these.
 */
export function parseRange(
  header: string | null,
  size: number,
): ByteRange | "unsatisfiable" | undefined {
  const match = header === null ? null : ONE_RANGE.exec(header.trim());
  if (match === null) {
    return undefined;
  }
  const [, first = "", last = ""] = match;
  if (first === "") {
    if (last === "") {
      return undefined;
    }
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const offset = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < offset) {
    return undefined;
  }
  return offset >= size ? "unsatisfiable" : { offset, length: end - offset + 1 };
}
