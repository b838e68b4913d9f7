const EOI = 0xd9;
const SOS = 0xda;
const NO_PICTURE = "The bytes begin like a JPEG and hold no picture";

/**
 * Whether the segments of a JPEG lead from its beginning to a frame header, as a decoder looks for
 * it; undefined when they do. Profiles may be larger than what is inspected: segments that lead past
 * it are taken for good, unless `isWhole`, when nothing comes after.
 */
export function jpegProblem(bytes: Uint8Array, isWhole: boolean): string | undefined {
  for (let at = 2; at < bytes.byteLength;) {
    const marker = nextMarker(bytes, at);
    if (marker === undefined || marker.code === EOI || marker.code === SOS) {
      return NO_PICTURE;
    }
    at = marker.end;
    // Restart marks and TEM stand alone.
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

/** Where the pixels of a JPEG begin; undefined where its beginning does not say. */
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

/** 0xFF and a code. Strays before it are passed over, as decoders do. */
function nextMarker(bytes: Uint8Array, at: number): { code: number; end: number } | undefined {
  for (let mark = bytes.indexOf(0xff, at); mark !== -1; mark = bytes.indexOf(0xff, mark + 1)) {
    const code = bytes[mark + 1];
    if (code !== undefined && code !== 0 && code !== 0xff) {
      return { code, end: mark + 2 };
    }
  }
  return undefined;
}

/** SOF0 to SOF15, without the tables and JPG that share the range. */
function isFrame(code: number): boolean {
  return code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;
}
