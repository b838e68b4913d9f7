/** A server with the queue API of fal, whose requests go on with each poll. */
import type { ServerResponse } from "node:http";
import { sendJson } from "./openai-chat.ts";
import type { Interruption } from "./replicate-server.ts";
import { type Answer, ScriptedServer } from "./scripted-server.ts";

export interface ScriptedQueueRequest {
  readonly id: string;
  readonly model: string;
  readonly input: Record<string, unknown>;
  polls: number;
  isCancelled: boolean;
}

/** The answer to the request for the output of a job. */
export interface ScriptedResult {
  readonly status: number;
  readonly body: unknown;
}

const FILE_TYPES: Readonly<Record<string, string>> = { png: "image/png", wav: "audio/wav" };

/** What each of the models that the catalog has returns, with its files on this server. */
export function outputOf({ model, id, input }: ScriptedQueueRequest, origin: string): unknown {
  const file = (name: string, type: string) => ({
    url: `${origin}/files/${id}-${name}`,
    content_type: type,
    file_name: name,
    file_size: 70,
  });
  if (model === "fal-ai/demucs") {
    const names = ["vocals", "drums", "bass", "other"];
    return Object.fromEntries(names.map((name) => [name, file(`${name}.wav`, "audio/wav")]));
  }
  const picture = { ...file("picture.png", "image/png"), width: 1, height: 1 };
  return model === "fal-ai/birefnet/v2"
    ? { image: picture }
    : {
        images: [picture],
        timings: { inference: 0.1 },
        seed: 7,
        has_nsfw_concepts: [false],
        prompt: input["prompt"],
      };
}

export class FalServer {
  readonly server: ScriptedServer;
  readonly requests: ScriptedQueueRequest[] = [];
  /** Polls before a request is complete. */
  polls = 1;
  result: (request: ScriptedQueueRequest, origin: string) => ScriptedResult = (...of) => ({
    status: 200,
    body: outputOf(...of),
  });
  /** Bytes of the files of this ending. */
  files: Record<string, Uint8Array> = {};
  interrupt: Interruption = () => false;
  /** The addresses in an answer to a submission. */
  urls: (place: string) => Record<string, string> = (place) => ({
    status_url: `${place}/status`,
    response_url: place,
    cancel_url: `${place}/cancel`,
  });
  /** The ids of requests, in order. */
  idOf: (index: number) => string = (index) => `764cabcf-b745-4b3e-ae38-${1000 + index}`;

  constructor() {
    this.server = new ScriptedServer((request, response) => this.answer(request, response));
  }

  get origin(): string {
    return `http://${this.server.host}`;
  }

  reset(): void {
    const { polls, result, interrupt, urls, idOf } = new FalServer();
    Object.assign(this, { polls, result, interrupt, urls, idOf });
    this.server.received.length = 0;
    this.requests.length = 0;
  }

  async answer(...[request, response]: Parameters<Answer>): Promise<void> {
    if ((await this.interrupt(request, response)) === true) {
      return;
    }
    const { method, headers } = request;
    const path = request.path.replace(/\?.*$/, "");
    const origin = `http://${headers.host}`;
    const [, app = "", id, action] =
      /^\/([^/]+\/[^/]+)\/requests\/([^/]+)(?:\/(status|cancel))?$/.exec(path) ?? [];
    const file = /^\/files\/.*\.(\w+)$/.exec(path)?.[1];
    if (method === "GET" && file !== undefined) {
      response.writeHead(200, { "content-type": FILE_TYPES[file] });
      response.end(this.files[file]);
      return;
    }
    if (!/^Key \S+$/.test(headers.authorization ?? "")) {
      sendJson(response, 401, { detail: "Authentication is required to access this application." });
    } else if (id !== undefined) {
      const known = this.requests.find((one) => one.id === id && appOf(one.model) === app);
      this.#answerKnown(known, `${method} ${action ?? ""}`, origin, response);
    } else if (method === "POST") {
      const made: ScriptedQueueRequest = {
        id: this.idOf(this.requests.length),
        model: path.slice(1),
        input: request.json() as Record<string, unknown>,
        polls: 0,
        isCancelled: false,
      };
      this.requests.push(made);
      sendJson(response, 200, { ...this.#describe(made, origin), queue_position: 0 });
    } else {
      sendJson(response, 404, { detail: "Not Found" });
    }
  }

  #answerKnown(
    known: ScriptedQueueRequest | undefined,
    asked: string,
    origin: string,
    response: ServerResponse,
  ): void {
    if (known === undefined) {
      sendJson(response, 404, { detail: "Request not found" });
    } else if (asked === "GET status") {
      known.polls += 1;
      const isOver = this.#isOver(known);
      sendJson(response, isOver ? 200 : 202, this.#describe(known, origin));
    } else if (asked === "PUT cancel") {
      const isOver = this.#isOver(known);
      known.isCancelled ||= !isOver;
      sendJson(response, isOver ? 400 : 202, {
        status: isOver ? "ALREADY_COMPLETED" : "CANCELLATION_REQUESTED",
      });
    } else if (asked !== "GET ") {
      sendJson(response, 405, { detail: "Method Not Allowed" });
    } else if (known.isCancelled) {
      sendJson(response, 499, { detail: "Request was cancelled", error_type: "client_cancelled" });
    } else if (this.#isOver(known)) {
      const { status, body } = this.result(known, origin);
      sendJson(response, status, body);
    } else {
      sendJson(response, 400, { detail: "Request is still in progress" });
    }
  }

  #isOver({ polls, isCancelled }: ScriptedQueueRequest): boolean {
    return isCancelled || polls > this.polls;
  }

  #describe(one: ScriptedQueueRequest, origin: string) {
    const isOver = this.#isOver(one);
    return {
      status: isOver ? "COMPLETED" : one.polls === 0 ? "IN_QUEUE" : "IN_PROGRESS",
      request_id: one.id,
      ...this.urls(`${origin}/${appOf(one.model)}/requests/${one.id}`),
      ...(isOver && { logs: [], metrics: { inference_time: 0.1 } }),
    };
  }
}

function appOf(model: string): string {
  return model.split("/").slice(0, 2).join("/");
}
