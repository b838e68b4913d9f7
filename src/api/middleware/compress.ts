/**
 * Compresses responses in the local service, as Cloudflare's edge does for a deployed one. The runtime encodes a body
 * according to its headers.
 */

/** The edge does not compress smaller responses either. */
const BYTES_MIN = 1024;
/** Media types worth compressing. Not `text/event-stream`, because events must be sent immediately. */
const TYPES =
  /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?(?:json|xml)\b|application\/javascript\b|image\/svg\+xml)/i;
/** Preferred first if the client has no preference: gzip takes a fraction of the processor time. */
const CODINGS = ["gzip", "br"] as const;

/** Returns the coding that an `Accept-Encoding` header prefers, undefined if it accepts neither. */
export function chooseCoding(header: string | null): (typeof CODINGS)[number] | undefined {
  const weights = new Map<string, number>();
  for (const entry of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    weights.set(name, Number.isNaN(Number(q)) ? 0 : Number(q));
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
  const [best] = CODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 ? best : undefined;
}

/** Returns the response for this request: compressed if the client accepts it and it is worthwhile. */
export async function compressed(request: Request, response: Response): Promise<Response> {
  const { headers, body, status } = response;
  if (
    body === null ||
    request.method === "HEAD" ||
    status === 206 ||
    headers.has("content-encoding") ||
    !TYPES.test(headers.get("content-type") ?? "")
  ) {
    return response;
  }
  const coding = chooseCoding(request.headers.get("accept-encoding"));
  const declared = headers.get("content-length");
  if (coding === undefined || (declared !== null && Number(declared) < BYTES_MIN)) {
    return varying(response, body);
  }
  const opened = declared === null ? await openedAt(body) : { stream: body, isSmall: false };
  const reply = varying(response, opened.stream);
  if (opened.isSmall) {
    return reply;
  }
  reply.headers.delete("content-length");
  reply.headers.set("content-encoding", coding);
  const etag = reply.headers.get("etag");
  if (etag?.startsWith('"') === true) {
    // The compressed bytes differ from those that the strong tag identifies (RFC 9110 §8.8.3.3).
    reply.headers.set("etag", `W/${etag}`);
  }
  return reply;
}

function varying(response: Response, body: BodyInit): Response {
  const reply = new Response(body, response);
  reply.headers.append("vary", "accept-encoding");
  return reply;
}

/** Whether a body of unknown length is small: it ends within the first bytes. */
async function openedAt(
  body: ReadableStream<Uint8Array>,
): Promise<{ readonly stream: BodyInit; readonly isSmall: boolean }> {
  const reader = body.getReader();
  const first = await reader.read();
  const bytes = first.value ?? new Uint8Array();
  if (first.done || bytes.byteLength < BYTES_MIN) {
    const second = first.done ? first : await reader.read();
    if (second.done) {
      return { stream: bytes, isSmall: true };
    }
    return { stream: resumed([bytes, second.value], reader), isSmall: false };
  }
  return { stream: resumed([bytes], reader), isSmall: false };
}

function resumed(
  pieces: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) {
        controller.enqueue(piece);
      }
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
    async cancel(reason) {
      await reader.cancel(reason);
    },
  });
}
