const EOI = 0xd9;
const SOS = 0xda;
const NO_PICTURE = "The bytes begin like a JPEG but contain no picture";

/**
 * Checks whether the segments of a JPEG lead from its beginning to a frame header, as in a decoder;
 * undefined if they do, else the problem. Profiles may be larger than the inspected bytes: segments
 * that end past them are accepted, unless `isWhole` is set because nothing follows.
 */
export function jpegProblem(bytes: Uint8Array, isWhole: boolean): string | undefined {
  for (let at = 2; at < bytes.byteLength;) {
    const marker = nextMarker(bytes, at);
    if (marker === undefined || marker.code === EOI || marker.code === SOS) {
      return NO_PICTURE;
    }
    at = marker.end;
    // Restart marks and TEM have no length field.
    if ((marker.code >= 0xd0 && marker.code <= 0xd8) || marker.code === 0x01) {
      continue;
    }
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    const isCut = at + length > bytes.byteLength;
    if (isFrame(marker.code) && length >= 8 && !isCut) {
      return undefined;
    }
    if (at + 2 <= bytes.byteLength && length < 2) {
      return NO_PICTURE;
    }
    at += Math.max(2, length);
  }
  return isWhole ? NO_PICTURE : undefined;
}

/** Offset of a JPEG's pixels; undefined if the given bytes do not include it. */
export function jpegScanStart(bytes: Uint8Array): number | undefined {
  for (let at = 2; ;) {
    const marker = nextMarker(bytes, at);
    if (marker === undefined) {
      return undefined;
    }
    if (marker.code === SOS) {
      return marker.end;
    }
    at = marker.end;
    if (marker.code < 0xd0 || marker.code > 0xd9) {
      at += ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    }
  }
}

/** A marker: 0xFF and a code. Stray bytes before it are skipped, as in decoders. */
function nextMarker(bytes: Uint8Array, at: number): { code: number; end: number } | undefined {
  for (let mark = bytes.indexOf(0xff, at); mark !== -1; mark = bytes.indexOf(0xff, mark + 1)) {
    const code = bytes[mark + 1];
    if (code !== undefined && code !== 0 && code !== 0xff) {
      return { code, end: mark + 2 };
    }
  }
  return undefined;
}

/** SOF0 to SOF15, except the tables and JPG in the same range. */
function isFrame(code: number): boolean {
  return code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;
}
