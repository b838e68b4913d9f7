/** What a file says of its picture before its pixels. */
export interface ScannedPicture {
  readonly contentType: "image/png" | "image/jpeg" | "image/webp";
  /** As stored, in px. */
  readonly width: number;
  readonly height: number;
}

/** What the reader of a format needs next: some bytes, to pass over some, or to pass over the compressed data of a JPEG. */
type Wish = { readonly take: number } | { readonly skip: number } | { readonly isScan: true };
type FormatReader = Generator<Wish, void, Uint8Array>;
type Report = (picture: ScannedPicture) => void;

/** The bytes are not a PNG, JPEG or WebP, or contradict their format. */
class NoPicture extends Error {
  override readonly name = "NoPicture";
}

/**
 * Follows a PNG, JPEG or WebP from its first byte to its last while it arrives, without decoding: whether it is one, its
 * size, and whether it is complete. Holds a few bytes.
 */
export class PictureScanner {
  /** Known once the header has been read. */
  picture: ScannedPicture | undefined;
  state: "reading" | "complete" | "no_picture" = "reading";
  readonly #reader: FormatReader;
  readonly #taken = new Uint8Array(TAKE_MAX);
  #wish: Wish | undefined;
  /** Bytes of the wish that have been taken or passed over. */
  #done = 0;
  /** Of the bytes that are being added, a character each, once it is needed: a text is searched much faster than bytes. */
  #text: string | undefined;

  constructor() {
    this.#reader = readPicture((picture) => {
      this.picture ??= picture;
    });
    this.#advance(new Uint8Array(0));
  }

  /** Returns how many of the bytes belong to the picture: all of them, unless it ends among them. */
  add(bytes: Uint8Array): number {
    let at = 0;
    this.#text = undefined;
    while (this.#wish !== undefined && at < bytes.length) {
      at = this.#serve(this.#wish, bytes, at);
    }
    return at;
  }

  #serve(wish: Wish, bytes: Uint8Array, at: number): number {
    if ("isScan" in wish) {
      this.#text ??= latin1(bytes);
      const found = markerIn(this.#text, at);
      if (found === -1) {
        return bytes.length;
      }
      this.#advance(bytes.subarray(found, found + 1));
      return found + 1;
    }
    const wanted = "take" in wish ? wish.take : wish.skip;
    const end = Math.min(bytes.length, at + wanted - this.#done);
    if ("take" in wish) {
      this.#taken.set(bytes.subarray(at, end), this.#done);
    }
    this.#done += end - at;
    if (this.#done === wanted) {
      this.#advance(this.#taken.subarray(0, "take" in wish ? wanted : 0));
    }
    return end;
  }

  /** Gives the reader what it asked for, until it asks for something that is not there yet. */
  #advance(given: Uint8Array): void {
    this.#done = 0;
    try {
      let next = this.#reader.next(given);
      while (next.done !== true && "skip" in next.value && next.value.skip === 0) {
        next = this.#reader.next(new Uint8Array(0));
      }
      this.#wish = next.done === true ? undefined : next.value;
      this.state = next.done === true ? "complete" : "reading";
    } catch (error) {
      if (!(error instanceof NoPicture)) {
        throw error;
      }
      this.#wish = undefined;
      this.state = "no_picture";
    }
  }
}

/** The longest piece that a reader asks for. */
const TAKE_MAX = 16;

function* readPicture(report: Report): FormatReader {
  const start = yield* take(2);
  switch (textOf(start)) {
    case "\u0089P":
      return yield* readPng(report);
    case "\u00ff\u00d8":
      return yield* readJpeg(report);
    case "RI":
      return yield* readWebp(report);
    default:
      throw new NoPicture();
  }
}

/** After the first two bytes of the signature. */
function* readPng(report: Report): FormatReader {
  check(textOf(yield* take(6)) === "NG\r\n\u001a\n");
  check(u32(yield* take(4), 0) === 13);
  check(textOf(yield* take(4)) === "IHDR");
  const size = yield* take(8);
  const [width, height] = [u32(size, 0), u32(size, 4)];
  check(width > 0 && height > 0);
  report({ contentType: "image/png", width, height });
  yield { skip: 13 - 8 + 4 };
  let hasPixels = false;
  for (;;) {
    const header = yield* take(8);
    const [length, name] = [u32(header, 0), textOf(header.subarray(4))];
    check(length < 2 ** 31 && /^[A-Za-z]{4}$/.test(name));
    hasPixels ||= name === "IDAT" && length > 0;
    yield { skip: length + 4 };
    if (name === "IEND") {
      check(hasPixels);
      return;
    }
  }
}

const MARKER = 0xff;
const SOS = 0xda;
const EOI = 0xd9;
/** Start of a frame, except the three markers among them that are tables. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;

/** After the first marker. */
function* readJpeg(report: Report): FormatReader {
  let [hasFrame, hasScan] = [false, false];
  let marker = yield* nextMarker();
  while (marker !== EOI) {
    const length = u16(yield* take(2), 0);
    check(length >= 2);
    let rest = length - 2;
    if (isFrame(marker)) {
      check(rest >= 6);
      const frame = yield* take(6);
      rest -= 6;
      const [height, width] = [u16(frame, 1), u16(frame, 3)];
      check(width > 0 && height > 0);
      hasFrame = true;
      report({ contentType: "image/jpeg", width, height });
    }
    yield { skip: rest };
    if (marker === SOS) {
      check(hasFrame);
      hasScan = true;
      marker = yield* endOfScan();
    } else {
      marker = yield* nextMarker();
    }
  }
  check(hasScan);
}

/** A marker may be preceded by any number of fill bytes. */
function* nextMarker(): Generator<Wish, number, Uint8Array> {
  check((yield* take(1))[0] === MARKER);
  let marker = MARKER;
  while (marker === MARKER) {
    marker = (yield* take(1))[0] ?? 0;
  }
  // Neither of them begins a segment here.
  check(marker !== 0 && !isRestart(marker));
  return marker;
}

/** The place of the next byte that can begin a marker which ends compressed data; -1 if there is none. */
function markerIn(text: string, from: number): number {
  let at = text.indexOf("\u00ff", from);
  // Photos have thousands of stuffed bytes, and each one would wake the reader.
  while (at !== -1 && isOfScan(text.charCodeAt(at + 1))) {
    at = text.indexOf("\u00ff", at + 2);
  }
  return at;
}

/** A stuffed byte or a restart. False for NaN, the code after the end of a text. */
const isOfScan = (marker: number) => marker === 0 || isRestart(marker);

/** Returns the marker after the compressed data, in which stuffed bytes and restarts occur. */
function* endOfScan(): Generator<Wish, number, Uint8Array> {
  for (;;) {
    yield { isScan: true };
    let marker = MARKER;
    while (marker === MARKER) {
      marker = (yield* take(1))[0] ?? 0;
    }
    if (!isOfScan(marker)) {
      return marker;
    }
  }
}

/** After the first two letters of RIFF. */
function* readWebp(report: Report): FormatReader {
  const header = yield* take(10);
  check(textOf(header.subarray(0, 2)) === "FF" && textOf(header.subarray(6)) === "WEBP");
  let left = u32le(header, 2) - 4;
  let hasPixels = false;
  while (left >= 8) {
    const chunk = yield* take(8);
    const [name, length] = [textOf(chunk.subarray(0, 4)), u32le(chunk, 4)];
    left -= 8;
    check(length <= left);
    const described = DESCRIBED.get(name);
    let rest = Math.min(left, length + (length % 2));
    left -= rest;
    if (described !== undefined) {
      check(length >= described.bytes);
      const size = described.sizeOf(yield* take(described.bytes));
      check(size !== undefined && size.width > 0 && size.height > 0);
      report({ contentType: "image/webp", ...size });
      rest -= described.bytes;
    }
    hasPixels ||= name === "VP8 " || name === "VP8L" || name === "ANMF";
    yield { skip: rest };
  }
  check(hasPixels);
  yield { skip: Math.max(0, left) };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Chunks of a WebP that state a size: how many of their bytes, and where. */
const DESCRIBED: ReadonlyMap<
  string,
  { readonly bytes: number; readonly sizeOf: (body: Uint8Array) => Size | undefined }
> = new Map([
  [
    "VP8X",
    { bytes: 10, sizeOf: (body) => ({ width: 1 + u24le(body, 4), height: 1 + u24le(body, 7) }) },
  ],
  [
    "VP8 ",
    {
      // RFC 6386 §9.1: a key frame, its start code, and 14 bits for each side.
      bytes: 10,
      sizeOf: (body) =>
        ((body[0] ?? 1) & 1) === 0 && textOf(body.subarray(3, 6)) === "\u009d\u0001*"
          ? { width: u16le(body, 6) & 0x3fff, height: u16le(body, 8) & 0x3fff }
          : undefined,
    },
  ],
  [
    "VP8L",
    {
      bytes: 5,
      sizeOf: (body) => {
        const bits = u32le(body, 1);
        return body[0] === 0x2f
          ? { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
          : undefined;
      },
    },
  ],
]);

/** The bytes are valid until the next wish. */
function* take(bytes: number): Generator<Wish, Uint8Array, Uint8Array> {
  return yield { take: bytes };
}

function check(isSo: boolean): asserts isSo {
  if (!isSo) {
    throw new NoPicture();
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function u16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

function u32(bytes: Uint8Array, at: number): number {
  return u16(bytes, at) * 2 ** 16 + u16(bytes, at + 2);
}

function u16le(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
}

function u24le(bytes: Uint8Array, at: number): number {
  return u16le(bytes, at) | ((bytes[at + 2] ?? 0) << 16);
}

function u32le(bytes: Uint8Array, at: number): number {
  return u16le(bytes, at) + u16le(bytes, at + 2) * 2 ** 16;
}
