/**
 * The JSON answer of an OpenAI-compatible server to a request for pictures: `{data: [{b64_json} | {url}]}`. The base64 of
 * the first picture is decoded as it arrives and is never in memory as a whole.
 */
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { Base64Pieces } from "../base64-pieces.ts";
import { badOutput } from "../call-failure.ts";
import { asJson } from "../read-answer.ts";

export type ImageAnswer =
  /** Ending early ends the answer. The pieces are valid until the next one is requested. */
  | { readonly kind: "bytes"; readonly pieces: AsyncGenerator<Uint8Array> }
  | { readonly kind: "url"; readonly url: string };

const QUOTE = 0x22;

/**
 * Finds the first picture. `body` is the answer in pieces; after the base64 of the picture it is not read any further, so
 * that more pictures than were asked for cost nothing. Throws NodeError `PROVIDER_BAD_OUTPUT`, and what reading throws.
 */
export async function openImageJson(body: AsyncIterable<Uint8Array>): Promise<ImageAnswer> {
  const pieces = body[Symbol.asyncIterator]();
  const scan = new ImageJsonScan();
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- the pieces arrive one after another
      const next = await pieces.next();
      if (next.done === true) {
        return { kind: "url", url: urlIn(scan.keptText()) };
      }
      const start = scan.add(next.value);
      if (start !== undefined) {
        return { kind: "bytes", pieces: decoded(next.value.subarray(start), pieces) };
      }
    }
  } catch (error) {
    await pieces.return?.();
    throw error;
  }
}

async function* decoded(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const base64 = new Base64Pieces();
  try {
    let piece = first;
    for (;;) {
      // A text is searched many times faster than bytes are.
      const text = latin1(piece);
      const end = text.indexOf('"');
      yield base64.add(end === -1 ? text : text.slice(0, end));
      if (end !== -1) {
        yield base64.end();
        return;
      }
      // oxlint-disable-next-line no-await-in-loop -- the pieces arrive one after another
      const next = await rest.next();
      if (next.done === true) {
        throw badOutput("its body is not JSON");
      }
      piece = next.value;
    }
  } finally {
    await rest.return?.();
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** The address of the first picture that has one. */
function urlIn(text: string): string {
  const answer = asJson(text);
  if (answer === undefined) {
    throw badOutput("its body is not JSON");
  }
  const data = isJsonObject(answer) ? answer["data"] : undefined;
  const url = (Array.isArray(data) ? (data as readonly JsonValue[]) : [])
    .map((each) => (isJsonObject(each) ? each["url"] : undefined))
    .find((each) => typeof each === "string" && each !== "");
  if (typeof url !== "string") {
    throw badOutput("it has no picture");
  }
  return url;
}

const BACKSLASH = 0x5c;
const [OPEN_OBJECT, CLOSE_OBJECT] = [0x7b, 0x7d];
const [OPEN_ARRAY, CLOSE_ARRAY] = [0x5b, 0x5d];
const [COMMA, COLON] = [0x2c, 0x3a];
const WHITE = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** The only keys that matter are shorter. */
const KEY_BYTES_MAX = 16;

/** Follows JSON byte by byte up to the first character of a string at `data[].b64_json` that is not empty. */
class ImageJsonScan {
  readonly #kept: Uint8Array[] = [];
  #keptBytes = 0;
  /** The containers around the current place, outermost first. */
  readonly #open: number[] = [];
  /** The last key of each of the outermost containers. */
  readonly #keys: string[] = [];
  #key: number[] | undefined;
  #isKeyNext = false;
  #isInString = false;
  #isEscaped = false;
  /** The place is the first character of a string that is base64 unless it is empty. */
  #isPictureNext = false;

  /** Returns where the base64 begins, undefined if it does not begin in this piece. */
  add(piece: Uint8Array): number | undefined {
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (this.#isPictureNext && byte !== QUOTE) {
        return at;
      }
      this.#isPictureNext = false;
      if (this.#isInString) {
        this.#inString(byte);
      } else {
        this.#outside(byte);
      }
    }
    this.#keptBytes += piece.length;
    if (this.#keptBytes > LIMITS.provider_json.value) {
      throw badOutput("its body is too long");
    }
    this.#kept.push(piece.slice());
    return undefined;
  }

  keptText(): string {
    return new TextDecoder().decode(Buffer.concat(this.#kept));
  }

  #inString(byte: number): void {
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (byte === BACKSLASH) {
      this.#isEscaped = true;
    } else if (byte === QUOTE) {
      this.#isInString = false;
      if (this.#key !== undefined) {
        this.#keys[this.#open.length - 1] = String.fromCharCode(...this.#key);
        this.#key = undefined;
      }
      return;
    }
    if (this.#key !== undefined && this.#key.length < KEY_BYTES_MAX) {
      this.#key.push(byte);
    }
  }

  #outside(byte: number): void {
    const { length: depth } = this.#open;
    switch (byte) {
      case QUOTE:
        this.#isInString = true;
        if (this.#isKeyNext) {
          this.#key = [];
          this.#isKeyNext = false;
        } else {
          this.#isPictureNext = this.#isPicturePlace();
        }
        return;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (depth === LIMITS.json_depth.value) {
          throw badOutput("its body nests too deep");
        }
        this.#open.push(byte);
        this.#keys[depth] = "";
        this.#isKeyNext = byte === OPEN_OBJECT;
        return;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#open.pop();
        this.#isKeyNext = false;
        return;
      case COMMA:
        this.#isKeyNext = this.#open.at(-1) === OPEN_OBJECT;
        return;
      case COLON:
        return;
      default:
        if (depth === 0 && !WHITE.has(byte)) {
          throw badOutput("its body is not JSON");
        }
    }
  }

  #isPicturePlace(): boolean {
    const [outer, list, item] = this.#open;
    return (
      this.#open.length === 3 &&
      outer === OPEN_OBJECT &&
      list === OPEN_ARRAY &&
      item === OPEN_OBJECT &&
      this.#keys[0] === "data" &&
      this.#keys[2] === "b64_json"
    );
  }
}
