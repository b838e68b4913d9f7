import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import { WebhookEndpoint } from "../../contracts/webhooks/webhook.ts";
import { readPage } from "./read-page.ts";

const EndpointRow = z.object({
  seq: z.int(),
  id: z.string(),
  view: z.string().transform((text) => WebhookEndpoint.parse(JSON.parse(text))),
});
export type WebhookEndpointRow = z.infer<typeof EndpointRow>;

const Creation = z.object({
  id: z.string(),
  creation_fingerprint: z.string(),
  created_at_ms: z.int(),
});
const Ids = z.object({ id: z.string() });

export interface NewWebhookEndpoint {
  readonly view: WebhookEndpoint;
  readonly createdAtMs: number;
  readonly idempotency: { readonly key: string; readonly fingerprint: string };
}

/** Number of characters that an endpoint's id and the ids of its deliveries end with in common. */
const ID_END_CHARS = 8;

export function webhookIdEnd(id: string): string {
  return id.slice(-ID_END_CHARS);
}

/** All SQL on the rows of webhook endpoints of one workspace. */
export class WebhookEndpointStore {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /**
   * One statement checks and writes, so only one of two concurrent calls succeeds. Returns false if the plan's limit is
   * reached or the key is taken; `creation` distinguishes the two.
   */
  async insert(endpoint: NewWebhookEndpoint, endpointsMax: number): Promise<boolean> {
    const result = await this.#db
      .prepare(
        `INSERT INTO webhook_endpoints
           (id, workspace_id, view, revision, id_end, created_at_ms, creation_key, creation_fingerprint)
         SELECT ?1, ?2, ?3, 0, ?4, ?5, ?6, ?7
         WHERE (SELECT count(*) FROM webhook_endpoints WHERE workspace_id = ?2 AND archived_at_ms IS NULL) < ?8
         ON CONFLICT DO NOTHING`,
      )
      .bind(
        endpoint.view.id,
        this.#workspaceId,
        JSON.stringify(endpoint.view),
        webhookIdEnd(endpoint.view.id),
        endpoint.createdAtMs,
        endpoint.idempotency.key,
        endpoint.idempotency.fingerprint,
        endpointsMax,
      )
      .run();
    return result.meta.changes > 0;
  }

  /** Returns the endpoint that was created with this key since `sinceMs`; an older endpoint releases its key. */
  async creation(
    key: string,
    sinceMs: number,
  ): Promise<{ id: string; fingerprint: string; createdAtMs: number } | undefined> {
    const [, found] = await this.#db.batch([
      this.#db
        .prepare(
          `UPDATE webhook_endpoints SET creation_key = NULL
           WHERE workspace_id = ?1 AND creation_key = ?2 AND created_at_ms <= ?3`,
        )
        .bind(this.#workspaceId, key, sinceMs),
      this.#db
        .prepare(
          "SELECT id, creation_fingerprint, created_at_ms FROM webhook_endpoints WHERE workspace_id = ?1 AND creation_key = ?2",
        )
        .bind(this.#workspaceId, key),
    ]);
    const row = found?.results[0];
    if (row === undefined) {
      return undefined;
    }
    const creation = Creation.parse(row);
    return {
      id: creation.id,
      fingerprint: creation.creation_fingerprint,
      createdAtMs: creation.created_at_ms,
    };
  }

  /** Stores a view unless a newer revision is stored. */
  async putView(row: {
    id: string;
    view: WebhookEndpoint;
    revision: number;
    archivedAtMs: number | null;
  }): Promise<void> {
    await this.#db
      .prepare(
        `UPDATE webhook_endpoints SET view = ?1, revision = ?2, archived_at_ms = ?3
         WHERE id = ?4 AND workspace_id = ?5 AND revision < ?2`,
      )
      .bind(JSON.stringify(row.view), row.revision, row.archivedAtMs, row.id, this.#workspaceId)
      .run();
  }

  /** Returns `elsewhere` if the endpoint belongs to another workspace, undefined if there is none. */
  async find(id: string): Promise<"ours" | "elsewhere" | undefined> {
    const row = await this.#db
      .prepare("SELECT workspace_id FROM webhook_endpoints WHERE id = ?1")
      .bind(id)
      .first<{ workspace_id: string }>();
    if (row === null) {
      return undefined;
    }
    return row.workspace_id === this.#workspaceId ? "ours" : "elsewhere";
  }

  /**
   * Returns endpoints of any workspace whose deliveries' ids have this ending, for requests that name a delivery only.
   */
  async findByIdEnd(end: string): Promise<{ id: string; isOurs: boolean }[]> {
    const result = await this.#db
      .prepare("SELECT id, workspace_id FROM webhook_endpoints WHERE id_end = ?1")
      .bind(end)
      .all<{ id: string; workspace_id: string }>();
    return result.results.map((row) => ({
      id: row.id,
      isOurs: row.workspace_id === this.#workspaceId,
    }));
  }

  /**
   * Returns a page, newest first. Archived endpoints are included only if `status` requests them
   * (docs/contract/webhooks.md#transitions).
   */
  async list(filter: {
    status: string | null;
    belowId: string | null;
    limit: number;
  }): Promise<{ rows: WebhookEndpointRow[]; total: number } | undefined> {
    let belowSeq: number | null = null;
    if (filter.belowId !== null) {
      const cursor = await this.#db
        .prepare("SELECT seq FROM webhook_endpoints WHERE id = ?1 AND workspace_id = ?2")
        .bind(filter.belowId, this.#workspaceId)
        .first<{ seq: number }>();
      if (cursor === null) {
        return undefined;
      }
      belowSeq = cursor.seq;
    }
    const where =
      "workspace_id = ?1 AND iif(?2 IS NULL, view->>'status' <> 'archived', view->>'status' = ?2)";
    const bound = [this.#workspaceId, filter.status];
    const of = { table: "webhook_endpoints", columns: "seq, id, view", where, bound };
    const { limit } = filter;
    return await readPage(this.#db, { ...of, belowSeq, limit }, (row) => EndpointRow.parse(row));
  }

  /**
   * Returns every endpoint that may still have visible deliveries, including those archived since `archivedSinceMs`.
   */
  async listIds(archivedSinceMs: number): Promise<string[]> {
    const result = await this.#db
      .prepare(
        `SELECT id FROM webhook_endpoints
         WHERE workspace_id = ?1 AND (archived_at_ms IS NULL OR archived_at_ms > ?2)`,
      )
      .bind(this.#workspaceId, archivedSinceMs)
      .all();
    return result.results.map((row) => Ids.parse(row).id);
  }
}
