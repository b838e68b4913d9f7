import { Buffer } from "node:buffer";
import type { ByteSource } from "../../../lib/files/byte-source.ts";
import { ByteWindow } from "../../../lib/files/byte-window.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { pdfHasLargeObjects } from "./merge-errors.ts";
import { StreamBodies } from "./stream-bodies.ts";

/** Of one read of the file. */
const BLOCK_BYTES = 2 * 1024 * 1024;
/** Blocks that are in memory at once: those of the window, one that is being read, and one that is decrypted. */
const BLOCKS_HELD = 5;
/** Shorter streams stay: each that is left out costs an entry and may cost a read. */
const BODY_BYTES_MIN = 4 * 1024;
/** Of a stream's dictionary. Streams of longer ones stay. */
const HEAD_BYTES_MAX = 16 * 1024;
/** Room for white space before `endstream`. */
const END_BYTES_MAX = 32;

const STREAM = Buffer.from("stream");
const END_STREAM = Buffer.from("endstream");

/** The most bytes of memory that an outline and the reading of its streams take. */
export const OUTLINE_MEMORY_BYTES = 2 * LIMITS.merged_outline.value + BLOCKS_HELD * BLOCK_BYTES;

/** Smaller ones are for tests. */
interface OutlineSizes {
  readonly blockBytes?: number;
  readonly bodyBytesMin?: number;
}

/** A PDF without the bytes of its long streams. */
export interface PdfOutline {
  /** A PDF that the parser reads: left out are bytes between `stream` and `endstream` only, and their direct length is 0. */
  readonly bytes: Uint8Array;
  readonly bodies: StreamBodies;
}

/** The dictionary before the word `stream`. */
interface StreamHead {
  readonly from: number;
  /** Latin-1. */
  readonly text: string;
}

/** Where a stream ends: its bytes, and the word after them. */
interface StreamEnd {
  readonly body: number;
  readonly word: number;
  /** Where in the head the digits of its length are, if they are there and are right. */
  readonly length: { readonly at: number; readonly digits: number } | undefined;
}

/**
 * Reads a PDF that is too large for memory, by blocks: objects, object streams, tables and short streams are kept. Long streams,
 * of which nothing but the bytes themselves is of interest, are left out (ISO 32000-1 §7.3.8). Throws NodeError
 * `FILE_TOO_LARGE` if what is kept is larger than its limit; `name` begins the message. Throws what the source throws.
 */
export async function outlinePdf(
  source: ByteSource,
  name: string,
  { blockBytes = BLOCK_BYTES, bodyBytesMin = BODY_BYTES_MIN }: OutlineSizes = {},
): Promise<PdfOutline> {
  const file = new BlockFile(source, blockBytes);
  const bodies = new StreamBodies(file, blockBytes);
  const kept = new KeptBytes(file, name);
  /** All before is kept or left out. */
  let at = 0;
  for (let search = 0; ;) {
    const word = await file.indexOf(STREAM, search);
    if (word < 0) {
      break;
    }
    search = word + STREAM.length;
    const head = await headBefore(file, Math.max(at, word - HEAD_BYTES_MAX), word);
    const begin = head === undefined ? undefined : await bodyStart(file, search);
    if (head === undefined || begin === undefined) {
      continue;
    }
    const end = await endOf(file, head, begin);
    if (end === undefined) {
      break;
    }
    search = end.word + END_STREAM.length;
    const isLong = end.body - begin >= bodyBytesMin;
    // The parser itself reads object streams and cross-reference streams.
    if (!isLong || /ObjStm|XRef/.test(head.text) || !isUsable(head, end)) {
      continue;
    }
    await kept.add(at, head.from);
    kept.addText(withoutLength(head, end));
    await kept.add(word, begin);
    bodies.add(kept.length + search - end.body, { from: begin, to: end.body });
    at = end.body;
  }
  await kept.add(at, file.sizeBytes);
  return { bytes: kept.joined(), bodies };
}

/** A stated length that is wrong misleads the parser, which looks behind it before it looks for the word. */
function isUsable({ text }: StreamHead, { length }: StreamEnd): boolean {
  return length !== undefined || directLength(text) === undefined;
}

/** The head with zeros for the digits of its length. */
function withoutLength({ text }: StreamHead, { length }: StreamEnd): string {
  return length === undefined
    ? text
    : text.slice(0, length.at) + "0".repeat(length.digits) + text.slice(length.at + length.digits);
}

/** Undefined for a length that is an object of its own, and for none. */
function directLength(text: string): { at: number; digits: number; value: number } | undefined {
  const match = /\/Length\s+(\d{1,12})(?!\d)(?!\s+\d+\s+R)/.exec(text);
  const number = match?.[1];
  return match === null || number === undefined
    ? undefined
    : {
        at: match.index + match[0].length - number.length,
        digits: number.length,
        value: Number(number),
      };
}

/** The text from the last object's beginning; undefined if that is not there, or if it does not end as a dictionary. */
async function headBefore(
  file: ByteWindow,
  from: number,
  word: number,
): Promise<StreamHead | undefined> {
  const bytes = bufferOf(await file.read(from, word - from));
  if (!/>>\s*$/.test(bytes.toString("latin1", Math.max(0, bytes.length - END_BYTES_MAX)))) {
    return undefined;
  }
  for (let at = bytes.lastIndexOf("obj"); at > 0; at = bytes.lastIndexOf("obj", at - 1)) {
    if (/\d\s+$/.test(bytes.toString("latin1", Math.max(0, at - END_BYTES_MAX), at))) {
      return { from: from + at, text: bytes.toString("latin1", at) };
    }
  }
  return undefined;
}

/** After the end of the line; a carriage return alone is none. */
async function bodyStart(file: ByteWindow, at: number): Promise<number | undefined> {
  const [first, second] = await file.read(at, 2);
  if (first === 10) {
    return at + 1;
  }
  return first === 13 && second === 10 ? at + 2 : undefined;
}

/** At the stated length if `endstream` follows there, else at the first `endstream`, as the parser does. */
async function endOf(
  file: BlockFile,
  { text }: StreamHead,
  begin: number,
): Promise<StreamEnd | undefined> {
  const length = directLength(text);
  if (length !== undefined) {
    const body = begin + length.value;
    const after = bufferOf(await file.read(body, END_BYTES_MAX)).toString("latin1");
    const spaces = /^\s*(?=endstream)/.exec(after)?.[0];
    if (spaces !== undefined) {
      return { body, word: body + spaces.length, length };
    }
  }
  const word = await file.indexOf(END_STREAM, begin);
  return word < 0 ? undefined : { body: word, word, length: undefined };
}

/** A file that is searched block by block. */
class BlockFile extends ByteWindow {
  readonly #blockBytes: number;

  constructor(source: ByteSource, blockBytes: number) {
    super(source, blockBytes);
    this.#blockBytes = blockBytes;
  }

  /** Where a word is next, from a place; -1 if it is not there. */
  async indexOf(word: Buffer, from: number): Promise<number> {
    for (let at = from; at < this.sizeBytes;) {
      const blockEnd = (Math.floor(at / this.#blockBytes) + 1) * this.#blockBytes;
      // oxlint-disable-next-line no-await-in-loop -- one block after the other
      const found = bufferOf(await this.read(at, blockEnd - at)).indexOf(word);
      if (found >= 0) {
        return at + found;
      }
      // It may lie in two blocks.
      const edge = Math.max(at, blockEnd - word.length + 1);
      // oxlint-disable-next-line no-await-in-loop -- as above
      const across = bufferOf(await this.read(edge, 2 * (word.length - 1))).indexOf(word);
      if (across >= 0) {
        return edge + across;
      }
      at = blockEnd;
    }
    return -1;
  }
}

/** Copies of parts of a file, up to a limit. */
class KeptBytes {
  readonly #file: ByteWindow;
  readonly #name: string;
  readonly #pieces: Uint8Array[] = [];
  length = 0;

  constructor(file: ByteWindow, name: string) {
    this.#file = file;
    this.#name = name;
  }

  /** The file from `from` to `to` - 1. */
  async add(from: number, to: number): Promise<void> {
    // Before it is read, so that the limit holds for memory too.
    this.#grow(to - from);
    this.#pieces.push((await this.#file.read(from, to - from)).slice());
  }

  /** Latin-1. */
  addText(text: string): void {
    this.#grow(text.length);
    this.#pieces.push(Buffer.from(text, "latin1"));
  }

  joined(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }

  #grow(bytes: number): void {
    this.length += bytes;
    if (this.length > LIMITS.merged_outline.value) {
      throw pdfHasLargeObjects(this.#name);
    }
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
