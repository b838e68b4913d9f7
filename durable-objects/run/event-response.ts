import type { Result } from "../../src/lib/result.ts";

/** How an object tells its Worker of a stream, or why there is none; read by `openRunEvents`. */
export function eventResponse(opened: Result<ReadableStream<Uint8Array> | null>): Response {
  if (!opened.ok) {
    return Response.json(opened, { status: 400 });
  }
  return new Response(opened.value, { status: opened.value === null ? 204 : 200 });
}
