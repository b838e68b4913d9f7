/** JSON bodies with files in them, as `data:` addresses that are encoded while they are sent. */
import type { ModelPicture, ModelSound } from "../contracts/models/model-calls.ts";
import { type JsonValue, stringifyJson } from "../lib/json/exact-json.ts";
import type { SizedStream } from "../platform/egress/operator-fetch.ts";
import { base64Length, encodeBase64 } from "./encode-base64.ts";

/** A file as the value of a member. */
export class InlineFile {
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly #open: () => Promise<AsyncIterable<Uint8Array>>;

  constructor(
    contentType: string,
    sizeBytes: number,
    open: () => Promise<AsyncIterable<Uint8Array>>,
  ) {
    this.contentType = contentType;
    this.sizeBytes = sizeBytes;
    this.#open = open;
  }

  static ofPicture({ contentType, bytes }: ModelPicture): InlineFile {
    return new InlineFile(contentType, bytes.length, () => Promise.resolve(piecesOf(bytes)));
  }

  static ofSound({ contentType, source }: ModelSound): InlineFile {
    return new InlineFile(contentType, source.sizeBytes, () => source.stream());
  }

  /** Content of the member's text. */
  async *pieces(): AsyncGenerator<string> {
    yield this.start;
    yield* encodeBase64(await this.#open());
  }

  get start(): string {
    return `data:${this.contentType};base64,`;
  }
}

/** The text of a piece is small, too. */
const PIECE_BYTES = 192 * 1024;

// oxlint-disable-next-line typescript/require-await -- files of other kinds arrive in pieces
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
  }
}

/** JSON in which some values are files. */
type JsonWithFiles = JsonValue | InlineFile | readonly JsonWithFiles[] | WithFiles;
export type WithFiles = { readonly [member: string]: JsonWithFiles };

/** The JSON of an object, as a stream if there is a file in it; `member` is that of an outer object around it. */
export function jsonBody(value: WithFiles, member?: string): string | SizedStream {
  const [before, after] = member === undefined ? ["", ""] : [`{${JSON.stringify(member)}:`, "}"];
  const parts = [before, ...partsOf(value), after];
  const texts = parts.filter((part) => typeof part === "string");
  if (texts.length === parts.length) {
    return texts.join("");
  }
  const sizeBytes = parts.reduce(
    (sum, part) =>
      sum +
      (typeof part === "string"
        ? Buffer.byteLength(part)
        : part.start.length + base64Length(part.sizeBytes)),
    0,
  );
  return { sizeBytes, stream: streamOf(parts) };
}

function* partsOf(value: JsonWithFiles): Generator<string | InlineFile> {
  if (value instanceof InlineFile) {
    yield* ['"', value, '"'];
  } else if (!hasFile(value)) {
    yield stringifyJson(value);
  } else if (Array.isArray(value)) {
    for (const [at, one] of (value as readonly JsonWithFiles[]).entries()) {
      yield at === 0 ? "[" : ",";
      yield* partsOf(one);
    }
    yield "]";
  } else {
    for (const [at, [name, one]] of Object.entries(value as WithFiles).entries()) {
      yield `${at === 0 ? "{" : ","}${JSON.stringify(name)}:`;
      yield* partsOf(one);
    }
    yield "}";
  }
}

/** If not, the value is plain JSON. */
function hasFile(value: JsonWithFiles): value is Exclude<JsonWithFiles, JsonValue> {
  return (
    value instanceof InlineFile ||
    (typeof value === "object" &&
      value !== null &&
      Object.values(value as WithFiles).some((one) => hasFile(one)))
  );
}

function streamOf(parts: readonly (string | InlineFile)[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const texts = (async function* () {
    for (const part of parts) {
      if (typeof part === "string") {
        yield part;
      } else {
        yield* part.pieces();
      }
    }
  })();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          // oxlint-disable-next-line no-await-in-loop -- an empty piece would end some streams
          const { value, done } = await texts.next();
          if (done === true) {
            controller.close();
            return;
          }
          if (value !== "") {
            controller.enqueue(encoder.encode(value));
            return;
          }
        }
      },
      async cancel() {
        await texts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
