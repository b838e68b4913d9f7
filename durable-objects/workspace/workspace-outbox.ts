import type { CloseOutcome, RunIndexRow } from "../../src/contracts/workspaces/admission.ts";
import { FINISHED_EVENT } from "../../src/contracts/webhooks/webhook.ts";
import { executionFromIndex } from "../../src/domain/executions/read/execution-from-index.ts";
import { emptyView } from "../../src/domain/executions/read/unstarted-view.ts";
import { completionEventBody } from "../../src/domain/webhooks/event-bodies.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import type { Env } from "../../src/platform/env.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { webhookEndpointObject } from "../../src/storage/objects/webhook-endpoint-object.ts";
import type { WebhookIndex } from "./webhook-index.ts";

/** Events passed on in one pass; the rest follow in the next. */
const EVENTS_AT_ONCE = 20;

/**
 * The events of runs whose own objects cannot send them: runs that failed at admission have no object
 * (docs/contract/credits.md#plans-known-at-submit), and the object of a damaged run cannot read its rows
 * (docs/decisions/damaged-runs.md). Recorded in the transaction that ends the run.
 */
export class WorkspaceOutbox {
  readonly #env: Env;
  readonly #sql: SqlStorage;
  readonly #webhooks: WebhookIndex;
  readonly #row: (runId: string) => RunIndexRow | undefined;
  /** Where the last pass stopped: events that fail must not hold up the others. */
  #passedThrough = "";

  constructor(
    env: Env,
    sql: SqlStorage,
    webhooks: WebhookIndex,
    row: (runId: string) => RunIndexRow | undefined,
  ) {
    this.#env = env;
    this.#sql = sql;
    this.#webhooks = webhooks;
    this.#row = row;
  }

  /** Part of the caller's transaction; does nothing if no endpoint receives the event. */
  record(runId: string, workflowId: string, nowMs: number): void {
    if (this.#webhooks.match(workflowId).webhook_endpoints.length > 0) {
      this.#sql.exec(
        "INSERT INTO refused_events VALUES (?, ?) ON CONFLICT DO NOTHING",
        runId,
        newId("event", nowMs),
      );
    }
  }

  get hasEvents(): boolean {
    return this.#pending(1, "").length > 0;
  }

  /** Sends the recorded events. Safe to repeat; never throws. Returns true if none is left. */
  async deliver(): Promise<boolean> {
    const events = this.#pending(EVENTS_AT_ONCE, this.#passedThrough);
    this.#passedThrough = events.length < EVENTS_AT_ONCE ? "" : (events.at(-1)?.run_id ?? "");
    for (const { run_id: runId, event_id: eventId } of events) {
      try {
        const row = this.#row(runId);
        if (row !== undefined) {
          await this.#handOver(row, eventId, this.#webhooks.match(row.workflow_id));
        }
        this.#sql.exec("DELETE FROM refused_events WHERE run_id = ?", runId);
      } catch (error) {
        createLogger({ service: "edgeloom", object: "workspace" }).error(
          "workspace.event_not_handed_over",
          { run_id: runId, reason: describeCause(error) },
        );
      }
    }
    return !this.hasEvents;
  }

  async #handOver(row: RunIndexRow, eventId: string, listeners: CloseOutcome): Promise<void> {
    const baseUrl = this.#env.BASE_URL === "" ? listeners.base_url : this.#env.BASE_URL;
    const { outputs: _none, ...execution } = executionFromIndex(row);
    const body = await completionEventBody({
      eventId,
      execution,
      view: emptyView(row),
      baseUrl,
    });
    await Promise.all(
      listeners.webhook_endpoints.map((id) =>
        webhookEndpointObject({ env: this.#env }, id).accept({
          v: 1,
          event_id: eventId,
          event_type: FINISHED_EVENT,
          execution: row.run_id,
          workflow_id: row.workflow_id,
          body,
        }),
      ),
    );
  }

  #pending(limit: number, after: string): { run_id: string; event_id: string }[] {
    return this.#sql
      .exec<{ run_id: string; event_id: string }>(
        "SELECT * FROM refused_events WHERE run_id > ? ORDER BY run_id LIMIT ?",
        after,
        limit,
      )
      .toArray();
  }
}
