import type { CloseOutcome } from "../../src/contracts/workspaces/admission.ts";
import { FINISHED_EVENT } from "../../src/contracts/webhooks/webhook.ts";
import { completionEventBody } from "../../src/domain/webhooks/event-bodies.ts";
import type { ViewInput } from "../../src/engine/view/view-input.ts";
import type { Env } from "../../src/platform/env.ts";
import { webhookEndpointObject } from "../../src/storage/objects/webhook-endpoint-object.ts";
import type { LiveRun } from "./live-run.ts";
import { listItemOf } from "./views/run-metadata-view.ts";
import { OUTBOX_KEY } from "./state/run-schema.ts";
import type { RunStore } from "./state/run-store.ts";

interface OutboxParts {
  readonly env: Env;
  readonly store: RunStore;
  readonly run: LiveRun;
  /** Generates the result view, with links under that address. */
  readonly view: (baseUrl: string) => ViewInput;
}

/** Sends the event of an ended run to the webhook endpoints that may receive it. */
export class RunOutbox {
  readonly #parts: OutboxParts;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Resolves when every endpoint has stored the event. Throws if one could not be reached; safe to repeat. */
  async handOver({ webhook_endpoints: endpoints, base_url: known }: CloseOutcome): Promise<void> {
    if (endpoints.length === 0) {
      return;
    }
    const { env, store, run } = this.#parts;
    const eventId = String(store.getMetadata(OUTBOX_KEY));
    const body = await this.#body(eventId, env.BASE_URL === "" ? known : env.BASE_URL);
    // If one endpoint's object is down, the others must not wait for it.
    const outcomes = await Promise.allSettled(
      endpoints.map((id) =>
        webhookEndpointObject({ env }, id).accept({
          v: 1,
          event_id: eventId,
          event_type: FINISHED_EVENT,
          execution: run.metadata.run_id,
          workflow_id: run.metadata.workflow_id,
          body,
        }),
      ),
    );
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) {
      throw new Error("an endpoint did not accept the event", { cause: failed.reason });
    }
  }

  /** Generated once and stored, so that every endpoint receives the same bytes, also after a new release. */
  async #body(eventId: string, baseUrl: string): Promise<string> {
    const { store, run } = this.#parts;
    const kept = store.getText("event");
    if (kept !== "") {
      return kept;
    }
    const body = await completionEventBody({
      eventId,
      execution: listItemOf(run, store),
      view: this.#parts.view(baseUrl),
      baseUrl,
    });
    store.putText("event", body);
    return body;
  }
}
