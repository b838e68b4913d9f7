import type { CloseOutcome } from "../../src/contracts/admission.ts";
import { FINISHED_EVENT } from "../../src/contracts/webhook.ts";
import { completionEventBody } from "../../src/domain/webhooks/event-bodies.ts";
import type { ViewInput } from "../../src/engine/view/view-input.ts";
import type { Env } from "../../src/platform/env.ts";
import { webhookEndpointObject } from "../../src/storage/objects/webhook-endpoint-object.ts";
import type { LiveRun } from "./live-run.ts";
import { executionOf } from "./run-metadata-view.ts";
import { OUTBOX_KEY } from "./run-schema.ts";
import type { RunStore } from "./run-store.ts";

interface OutboxParts {
  readonly env: Env;
  readonly store: RunStore;
  readonly run: LiveRun;
  /** The result view, with links under that address. */
  readonly view: (baseUrl: string) => ViewInput;
}

/** Hands the event of an ended run to the webhook endpoints whose business it may be. */
export class RunOutbox {
  readonly #parts: OutboxParts;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Resolves when every endpoint has the event in its rows. Throws when one could not be reached; repeats are harmless. */
  async handOver({ webhook_endpoints: endpoints, base_url: known }: CloseOutcome): Promise<void> {
    if (endpoints.length === 0) {
      return;
    }
    const { env, store, run } = this.#parts;
    const eventId = String(store.getMetadata(OUTBOX_KEY));
    const body = await this.#body(eventId, env.BASE_URL === "" ? known : env.BASE_URL);
    // One endpoint's object that is down must not keep the others waiting.
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
      throw new Error("an endpoint did not take the event over", { cause: failed.reason });
    }
  }

  /** Made once and kept, so that every endpoint gets the same bytes, after a new release too. */
  async #body(eventId: string, baseUrl: string): Promise<string> {
    const { store, run } = this.#parts;
    const kept = store.getText("event");
    if (kept !== "") {
      return kept;
    }
    const body = await completionEventBody({
      eventId,
      execution: executionOf(run, store, { outputs: [], outputs_total: 0 }),
      view: this.#parts.view(baseUrl),
      baseUrl,
    });
    store.putText("event", body);
    return body;
  }
}
