/** A server with the API of Replicate, whose predictions go on with each poll. */
import { type Answer, type ReceivedRequest, ScriptedServer } from "./scripted-server.ts";
import { sendJson } from "./openai-chat.ts";

export interface ScriptedPrediction {
  readonly id: string;
  readonly model: string;
  readonly input: Record<string, unknown>;
  polls: number;
  status: "starting" | "processing" | "succeeded" | "failed" | "canceled" | "aborted";
}

/** Returns true once it has answered in place of the script. */
export type Interruption = (
  ...of: Parameters<Answer>
) => boolean | undefined | Promise<boolean | undefined>;

export class ReplicateServer {
  readonly server: ScriptedServer;
  readonly predictions: ScriptedPrediction[] = [];
  readonly uploads: ReceivedRequest[] = [];
  /** Polls before a prediction has ended. */
  polls = 1;
  /** The output of an ended prediction. */
  output: (prediction: ScriptedPrediction, origin: string) => unknown = ({ id }, origin) => [
    `${origin}/files/${id}.png`,
  ];
  /** The error of every prediction, if they fail. */
  error: string | undefined;
  file: Uint8Array = new Uint8Array();
  interrupt: Interruption = () => false;
  /** The addresses in an answer to a submission. */
  urls: (id: string, base: string) => Record<string, string> = (id, base) => ({
    get: `${base}/predictions/${id}`,
    cancel: `${base}/predictions/${id}/cancel`,
  });
  /** The ids of predictions, in order. */
  idOf: (index: number) => string = (index) => `prediction${index + 1}`;

  constructor() {
    this.server = new ScriptedServer((request, response) => this.#answer(request, response));
  }

  get origin(): string {
    return `http://${this.server.host}`;
  }

  get base(): string {
    return `${this.origin}/v1`;
  }

  reset(): void {
    this.server.received.length = 0;
    this.predictions.length = 0;
    this.uploads.length = 0;
    this.polls = 1;
    this.error = undefined;
    this.interrupt = () => false;
  }

  async #answer(...[request, response]: Parameters<Answer>): Promise<void> {
    if ((await this.interrupt(request, response)) === true) {
      return;
    }
    const { method, path } = request;
    const submitted = /^\/v1\/models\/([^/]+\/[^/]+)\/predictions$/.exec(path);
    const [, id, isCancel] = /^\/v1\/predictions\/([^/?]+)(\/cancel)?/.exec(path) ?? [];
    const known = this.predictions.find((one) => one.id === id);
    if (method === "POST" && submitted !== null) {
      const { input } = request.json() as { input: Record<string, unknown> };
      const made: ScriptedPrediction = {
        id: this.idOf(this.predictions.length),
        model: submitted[1] ?? "",
        input,
        polls: 0,
        status: "starting",
      };
      this.predictions.push(made);
      sendJson(response, 201, this.#describe(made));
    } else if (method === "POST" && path === "/v1/files") {
      this.uploads.push(request);
      const place = `${this.base}/files/upload${this.uploads.length}`;
      sendJson(response, 201, { id: `upload${this.uploads.length}`, urls: { get: place } });
    } else if (method === "GET" && path.startsWith("/files/")) {
      response.writeHead(200, { "content-type": "image/png" });
      response.end(this.file);
    } else if (known !== undefined && isCancel !== undefined && method === "POST") {
      known.status = "canceled";
      sendJson(response, 200, this.#describe(known));
    } else if (known !== undefined && method === "GET") {
      this.#advance(known);
      sendJson(response, 200, this.#describe(known));
    } else {
      sendJson(response, 404, { detail: "Not found" });
    }
  }

  #advance(one: ScriptedPrediction): void {
    one.polls += 1;
    if (one.status === "starting" || one.status === "processing") {
      const ended = this.error === undefined ? "succeeded" : "failed";
      one.status = one.polls > this.polls ? ended : "processing";
    }
  }

  #describe(one: ScriptedPrediction) {
    const isMade = one.status === "succeeded";
    return {
      id: one.id,
      model: one.model,
      version: "hidden",
      input: one.input,
      logs: "",
      status: one.status,
      output: isMade ? this.output(one, this.origin) : null,
      error: one.status === "failed" ? this.error : null,
      created_at: "2026-11-23T08:00:00.000Z",
      data_removed: false,
      urls: this.urls(one.id, this.base),
    };
  }
}
