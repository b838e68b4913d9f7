import type { DirectlyRendered, DirectOutput } from "../../domain/templates/render-directly.ts";
import { StreamParts } from "../../lib/files/stream-parts.ts";
import type { RawReply } from "../define-endpoint.ts";

interface Part {
  readonly name: string;
  readonly contentType: string;
  /** Text, or so many bytes of the render's body. */
  readonly content: string | number;
}

/** The file of a direct render by itself, or its report and its files as parts of one body, in their order. */
export function renderReply(
  { rendered, etag }: DirectlyRendered,
  output: DirectOutput,
  hasReport: boolean,
): RawReply {
  const { report, pdf, pages, body, page_count: pageCount } = rendered;
  const headers = {
    "design-layout-status": report.status,
    "design-page-count": String(pageCount),
    ...(etag !== undefined && { etag: `"${etag}"` }),
  };
  const isSingle = !hasReport && (output === "pdf" || output === "image");
  if (isSingle) {
    const size = pdf?.size_bytes ?? pages[0]?.image?.size_bytes ?? 0;
    const contentType = output === "pdf" ? "application/pdf" : "image/png";
    return {
      response: new Response(body, {
        headers: { ...headers, "content-type": contentType, "content-length": String(size) },
      }),
    };
  }
  const parts: Part[] = [
    { name: "layout_report", contentType: "application/json", content: JSON.stringify(report) },
    ...(pdf === null
      ? []
      : [{ name: "pdf", contentType: "application/pdf", content: pdf.size_bytes }]),
    ...pages.flatMap(({ page_number: number, image }) =>
      image === null
        ? []
        : [{ name: `page-${number}`, contentType: "image/png", content: image.size_bytes }],
    ),
  ];
  // A digest of what follows: it does not occur in it by accident.
  const boundary = `render-${(pdf ?? pages[0]?.image)?.sha256.slice(0, 40) ?? "report"}`;
  return {
    response: new Response(streamOf(multipart(parts, boundary, body)), {
      headers: { ...headers, "content-type": `multipart/mixed; boundary=${boundary}` },
    }),
  };
}

function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

async function* multipart(
  parts: readonly Part[],
  boundary: string,
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array> {
  const utf8 = new TextEncoder();
  const files = new StreamParts(body);
  try {
    for (const { name, contentType, content } of parts) {
      yield utf8.encode(
        `--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Disposition: attachment; name="${name}"\r\n\r\n`,
      );
      if (typeof content === "string") {
        yield utf8.encode(content);
      } else {
        yield* files.take(content);
      }
      yield utf8.encode("\r\n");
    }
    yield utf8.encode(`--${boundary}--\r\n`);
  } finally {
    await files.cancel();
  }
}
