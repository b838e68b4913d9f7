/** The webhook routes of a running service, for tests that act as a customer. */
import type {
  WebhookDelivery,
  WebhookEndpoint,
  WebhookTestOutcome,
} from "../../../src/contracts/webhooks/webhook.ts";
import { publish } from "../../../scripts/provision.ts";
import type { RunningService } from "./start-service.ts";

export interface ApiResponse {
  readonly status: number;
  readonly isReplay: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
  readonly json: any;
}

export class WebhookClient {
  readonly service: RunningService;
  #keys = 0;

  constructor(service: RunningService) {
    this.service = service;
  }

  async call(
    method: string,
    path: string,
    options: { body?: unknown; key?: string | null } = {},
  ): Promise<ApiResponse> {
    const key = options.key === undefined ? this.newKey() : options.key;
    const response = await fetch(`${this.service.client.baseUrl}/api/v1/webhooks${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await this.service.client.token()}`,
        ...(options.body !== undefined && { "content-type": "application/json" }),
        ...(method !== "GET" && key !== null && { "idempotency-key": key }),
      },
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    });
    return {
      status: response.status,
      isReplay: response.headers.get("idempotency-replayed") === "true",
      json: await response.json(),
    };
  }

  newKey(): string {
    this.#keys += 1;
    return `test-key-${process.pid}-${performance.now()}-${this.#keys}`;
  }

  async create(url: string, more: object = {}): Promise<WebhookEndpoint & { secret: string }> {
    const { status, json } = await this.call("POST", "/endpoints", {
      body: { name: "Test", url, ...more },
    });
    if (status !== 201) {
      throw new Error(`create answered ${status}: ${JSON.stringify(json)}`);
    }
    return { ...json, secret: json.signing_secret };
  }

  async test(id: string): Promise<WebhookTestOutcome> {
    return (await this.call("POST", `/endpoints/${id}/test`)).json;
  }

  /** Created, tested and activated. */
  async active(url: string, more: object = {}): Promise<WebhookEndpoint & { secret: string }> {
    const endpoint = await this.create(url, more);
    const { outcome } = await this.test(endpoint.id);
    const activated = await this.call("POST", `/endpoints/${endpoint.id}/activate`);
    if (outcome !== "passed" || activated.status !== 200) {
      throw new Error(`the test ${outcome}: ${JSON.stringify(activated.json)}`);
    }
    return { ...activated.json, secret: endpoint.secret };
  }

  async deliveries(query: string): Promise<WebhookDelivery[]> {
    return (await this.call("GET", `/deliveries?limit=100&${query}`)).json.data;
  }

  /** A workflow that returns its input. */
  echoWorkflow(): Promise<string> {
    return publish(this.service.client, {
      name: "Webhooks: echo",
      definition: {
        nodes: [
          { id: "in", type: "input/text", label: "in" },
          { id: "out", type: "output/text", parameters: { key: "out" } },
        ],
        connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
      },
    });
  }

  async run(workflow: string, text = "hello"): Promise<string> {
    const { id } = await this.service.client.call<{ id: string }>("POST", "/api/v1/executions", {
      body: { workflow, inputs: { in: { value: JSON.stringify(text) } } },
    });
    return id;
  }
}
