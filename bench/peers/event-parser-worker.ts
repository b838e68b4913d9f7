import { createParser } from "eventsource-parser";

/** The minimum that hands on the events of a streamed answer: reads them with eventsource-parser and writes each one again. */
export default {
  async fetch(request) {
    const address = new URL(request.url).searchParams.get("address") ?? "";
    const { body } = await fetch(address, { method: "POST", body: "{}" });
    if (body === null) {
      return new Response(null, { status: 502 });
    }
    const encoder = new TextEncoder();
    const { readable, writable } = new TransformStream<string, Uint8Array>({
      transform(data, controller) {
        controller.enqueue(encoder.encode(`event: text\ndata: ${data}\n\n`));
      },
    });
    const writer = writable.getWriter();
    const parser = createParser({ onEvent: ({ data }) => void writer.write(data) });
    const decoder = new TextDecoder();
    const handOn = async () => {
      for await (const piece of body) {
        parser.feed(decoder.decode(piece, { stream: true }));
      }
      await writer.close();
    };
    // Fails when the reader is gone.
    handOn().catch(() => undefined);
    return new Response(readable, { headers: { "content-type": "text/event-stream" } });
  },
} satisfies ExportedHandler;
