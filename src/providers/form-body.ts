/** Bodies of `multipart/form-data` (RFC 7578) that are sent as a stream: no file of a form is copied. */
import type { SizedStream } from "../platform/egress/operator-fetch.ts";

export type FormPart =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string;
      /** Plain ASCII. */
      readonly fileName: string;
      readonly contentType: string;
      readonly sizeBytes: number;
      readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
    };

/** `key` is unguessable and the same in each attempt of a call, so that the body is, too. */
export function formBody(
  parts: readonly FormPart[],
  key: string,
): { readonly contentType: string; readonly body: SizedStream } {
  const boundary = `form-${key}`;
  const end = bytesOf(`--${boundary}--\r\n`);
  const heads = parts.map((part) => bytesOf(headOf(part, boundary)));
  const sizeBytes = parts.reduce(
    (sum, part, at) => sum + (heads[at]?.length ?? 0) + sizeOf(part) + 2,
    end.length,
  );
  const pieces = notEmpty(piecesOf(parts, heads, end));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: { sizeBytes, stream: streamOf(pieces) },
  };
}

function headOf(part: FormPart, boundary: string): string {
  const disposition = `Content-Disposition: form-data; name="${part.name}"`;
  return "value" in part
    ? `--${boundary}\r\n${disposition}\r\n\r\n`
    : `--${boundary}\r\n${disposition}; filename="${part.fileName}"\r\nContent-Type: ${part.contentType}\r\n\r\n`;
}

function sizeOf(part: FormPart): number {
  return "value" in part ? Buffer.byteLength(part.value) : part.sizeBytes;
}

async function* piecesOf(
  parts: readonly FormPart[],
  heads: readonly Uint8Array[],
  end: Uint8Array,
): AsyncGenerator<Uint8Array> {
  for (const [at, part] of parts.entries()) {
    yield heads[at] ?? new Uint8Array(0);
    if ("value" in part) {
      yield bytesOf(part.value);
    } else if (part.bytes instanceof Uint8Array) {
      yield part.bytes;
    } else {
      yield* part.bytes;
    }
    yield bytesOf("\r\n");
  }
  yield end;
}

/** An empty piece would end some streams. */
async function* notEmpty(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    if (piece.length > 0) {
      yield piece;
    }
  }
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next();
        if (done === true) {
          controller.close();
        } else {
          controller.enqueue(value);
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
