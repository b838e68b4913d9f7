/** Acts as a customer's server while examples are recorded: receives events, and serves a file to import. */
import { createServer } from "node:http";
import { shortened } from "./example-recorder.ts";

export interface ExampleReceiver {
  /** The first received event of each type, recorded as the request of the event's operation. */
  readonly events: Readonly<Record<string, unknown>>;
  /** Whether it rejects everything, with a requested delay beyond a delivery's deadline. */
  isDown: boolean;
  stop(): void;
}

/** Starts the server on a port of 127.0.0.1. */
export async function startExampleReceiver(port: number): Promise<ExampleReceiver> {
  const events: Record<string, unknown> = {};
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      if (request.headers["content-type"] === "application/cloudevents+json") {
        const event = JSON.parse(body) as { readonly type: string };
        events[event.type] ??= shortened(event);
      }
    });
    const isFile = request.url?.endsWith(".csv") === true;
    if (receiver.isDown) {
      // Longer than a delivery's deadline, so that the delivery is exhausted at once.
      response.writeHead(503, { "retry-after": "200000" });
      response.end();
      return;
    }
    response.writeHead(200, { "content-type": isFile ? "text/csv" : "text/plain" });
    response.end(isFile ? "sku,price\na,1.50\nb,2.00\n" : "ok");
  });
  const receiver: ExampleReceiver = {
    events,
    isDown: false,
    stop() {
      server.close();
    },
  };
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return receiver;
}
