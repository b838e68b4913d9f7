/** A provider's server on this machine, with the responses that a test scripts. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** The body as JSON. */
  json(): unknown;
}

export type Answer = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

/** Starts on a port of the loopback address, a free one by default. `answer` can be replaced by each test. */
export class ScriptedServer {
  readonly received: ReceivedRequest[] = [];
  answer: Answer;
  host = "";
  /** Told of a request whose body has not been read yet. It is not read before a promise that is returned resolves. */
  onArrival: (method: string, path: string) => void | Promise<void> = () => {};
  /** Requests whose client closed the connection before the answer was complete. */
  aborted = 0;
  readonly #server: Server;

  constructor(answer: Answer) {
    this.answer = answer;
    this.#server = createServer((request, response) => {
      void this.#receive(request, response);
    });
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("close", () => {
      this.aborted += response.writableFinished ? 0 : 1;
    });
    await this.onArrival(request.method ?? "", request.url ?? "");
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) {
        pieces.push(piece as Buffer);
      }
    } catch {
      // The client is gone before the request was whole, as after a kill: nobody waits for an answer.
      return;
    }
    const body = Buffer.concat(pieces);
    const received: ReceivedRequest = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body,
      json: () => JSON.parse(body.toString()) as unknown,
    };
    this.received.push(received);
    await this.answer(received, response);
  }

  /** Rejects if the port is taken; 0 is a free one. */
  async start(port = 0): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
    this.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
