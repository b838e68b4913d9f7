import type { CloseOutcome } from "../../src/contracts/workspaces/admission.ts";
import type { WebhookIndexEntry } from "../../src/contracts/webhooks/webhook-object-api.ts";
import { idTimeMs } from "../../src/platform/ids.ts";

/** No endpoint receives anything. */
export const NOBODY: CloseOutcome = { webhook_endpoints: [], base_url: "" };

type Listener = Pick<WebhookIndexEntry, "endpoint_id" | "workflow_ids" | "base_url">;

/**
 * The webhook endpoints of the workspace, as far as the end of a run depends on them: at least those that would receive
 * its event. Kept in memory, so that a workspace without endpoints pays nothing.
 */
export class WebhookIndex {
  readonly #sql: SqlStorage;
  #listeners: readonly Listener[];

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#listeners = this.#read();
  }

  /** Keeps the update with the highest `seq`. */
  put(entry: WebhookIndexEntry): void {
    this.#sql.exec(
      `INSERT INTO webhook_endpoints VALUES (?, ?, ?, ?, ?) ON CONFLICT (endpoint_id) DO UPDATE SET
         seq = excluded.seq, is_listening = excluded.is_listening,
         workflow_ids = excluded.workflow_ids, base_url = excluded.base_url
       WHERE excluded.seq >= seq`,
      entry.endpoint_id,
      entry.seq,
      entry.is_listening ? 1 : 0,
      entry.workflow_ids === null ? null : JSON.stringify(entry.workflow_ids),
      entry.base_url,
    );
    this.#listeners = this.#read();
  }

  /** The endpoints that receive the end of a run of this workflow: with `endedAtMs`, those that existed by then. */
  match(workflowId: string | undefined, endedAtMs = Number.POSITIVE_INFINITY): CloseOutcome {
    if (workflowId === undefined || this.#listeners.length === 0) {
      return NOBODY;
    }
    const listening = this.#listeners.filter(
      ({ endpoint_id: id, workflow_ids: ids }) =>
        (ids === null || ids.includes(workflowId)) && !(idTimeMs(id) > endedAtMs),
    );
    return {
      webhook_endpoints: listening.map(({ endpoint_id: id }) => id),
      base_url: listening[0]?.base_url ?? "",
    };
  }

  #read(): Listener[] {
    return this.#sql
      .exec<{ endpoint_id: string; workflow_ids: string | null; base_url: string }>(
        "SELECT endpoint_id, workflow_ids, base_url FROM webhook_endpoints WHERE is_listening = 1",
      )
      .toArray()
      .map((row) => ({
        endpoint_id: row.endpoint_id,
        workflow_ids: row.workflow_ids === null ? null : (JSON.parse(row.workflow_ids) as string[]),
        base_url: row.base_url,
      }));
  }
}
