import type { WebhookIndexEntry } from "../../src/contracts/webhooks/webhook-object-api.ts";
import {
  endpointView,
  type EndpointRecord,
} from "../../src/domain/webhooks/endpoints/endpoint-record.ts";
import type { Env } from "../../src/platform/env.ts";
import { WebhookEndpointStore } from "../../src/storage/d1/webhook-endpoint-store.ts";
import { workspaceObject } from "../../src/storage/objects/workspace-object.ts";
import { sendWebhookHint } from "../../src/storage/queues/send-webhook-hint.ts";

/** Calls of an endpoint's object to others. Each may be lost or repeated: the rows record open work. */
export class EndpointEffects {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /** Sends the runner a hint that attempts are due. The alarm repeats lost hints. */
  async hint(endpointId: string): Promise<void> {
    await sendWebhookHint(this.#env, endpointId);
  }

  /** The row that lists read. */
  async putRow(record: EndpointRecord, revision: number, nowMs: number): Promise<void> {
    await new WebhookEndpointStore(this.#env, record.workspace_id).putView({
      id: record.id,
      view: endpointView(record, nowMs),
      revision,
      archivedAtMs: record.status === "archived" ? record.updated_at_ms : null,
    });
  }

  /** Tells the workspace which events this endpoint receives. */
  async putIndex(workspaceId: string, entry: WebhookIndexEntry): Promise<void> {
    await workspaceObject({ env: this.#env }, workspaceId).putWebhookEndpoint(entry);
  }
}
