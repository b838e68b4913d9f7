import { DurableObject } from "cloudflare:workers";

interface Env {
  readonly FLOOR: DurableObjectNamespace;
}

const encoder = new TextEncoder();

/** The minimum that serves an open event stream: one event, then silence. */
export class StreamFloorObject extends DurableObject<Env> {
  override fetch(): Promise<Response> {
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          controller.enqueue(encoder.encode("id: 0-0\nevent: status\ndata: {}\n\n"));
        },
      },
      { highWaterMark: 0 },
    );
    return Promise.resolve(
      new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } }),
    );
  }
}

export default {
  fetch(request, env) {
    return new URL(request.url).pathname === "/idle"
      ? new Response("idle")
      : env.FLOOR.get(env.FLOOR.idFromName("floor")).fetch(request);
  },
} satisfies ExportedHandler<Env>;
