import { createHash } from "node:crypto";
import type { Rendered } from "../../contracts/templates/renderer.ts";
import { heldResponses } from "./held-responses.ts";
import type { MadeRender } from "./render-template.ts";

/** Of a piece of the stream. */
const PIECE_BYTES = 128 * 1024;

/**
 * A render with its files as one stream, because a call's other values have at most 32 MiB. They count as held until they
 * are read; a caller that reads nothing for a minute gets an error instead of the rest.
 */
export function asResponse({
  pageCount,
  report,
  checks,
  pages,
  pdf,
}: MadeRender<readonly Uint8Array[], readonly Uint8Array[]>): Rendered {
  const images = pages.flatMap(({ image }) => image?.kept ?? []);
  const files = [...(pdf ?? []), ...images];
  return {
    ok: true,
    page_count: pageCount,
    report,
    checks,
    pages: pages.map(({ image, ...page }) => ({
      ...page,
      image: image && { width: image.width, height: image.height, ...factsOf(image.kept) },
    })),
    pdf: pdf && factsOf(pdf),
    body: files.length === 0 ? null : streamOf(files),
  };
}

function factsOf(pieces: readonly Uint8Array[]) {
  const hash = createHash("sha256");
  let size_bytes = 0;
  for (const piece of pieces) {
    hash.update(piece);
    size_bytes += piece.byteLength;
  }
  return { size_bytes, sha256: hash.digest("hex") };
}

function streamOf(files: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = files.filter(({ byteLength }) => byteLength > 0);
  const held = heldResponses.hold(
    files.reduce((sum, { byteLength }) => sum + byteLength, 0),
    Date.now,
  );
  return new ReadableStream({
    type: "bytes",
    pull(controller: ReadableByteStreamController) {
      const next = left[0];
      if (next === undefined) {
        held.release();
        controller.close();
      } else if (held.isHeld) {
        // A copy, because a stream takes its pieces' buffers over; the slice of a Buffer is none.
        const piece = new Uint8Array(next.subarray(0, PIECE_BYTES));
        const rest = next.subarray(piece.byteLength);
        left.splice(0, 1, ...(rest.byteLength === 0 ? [] : [rest]));
        held.read(piece.byteLength);
        controller.enqueue(piece);
      } else {
        left.length = 0;
        controller.error(new Error("The files of the render were not read in time."));
      }
    },
    cancel() {
      left.length = 0;
      held.release();
    },
  });
}
