/**
 * Lists of a workspace object with half a million runs, beside a bare object with the same runs in a plain table. Each
 * reports the time inside the object, so the figure excludes HTTP.
 */
import { DurableObject } from "cloudflare:workers";
import { RunIndex } from "../../durable-objects/workspace/run-index.ts";
import { WorkspaceObject } from "../../durable-objects/workspace/workspace-object.ts";
import type { RunLabels, RunListFilter } from "../../src/contracts/workspaces/admission.ts";
import { unwrap } from "../../src/lib/result.ts";
import type { ListAnswered, ListAsked, ListScanned } from "../list-answers.ts";
import { FILL_RUNS } from "../../test/support/tenant/half-million-runs.ts";

interface Env {
  readonly FILLED: DurableObjectNamespace;
  readonly BARE: DurableObjectNamespace;
}

export class FilledWorkspace extends WorkspaceObject {
  override async fetch(request: Request): Promise<Response> {
    if (request.method === "PUT") {
      this.ctx.storage.transactionSync(() => {
        this.ctx.storage.sql.exec(FILL_RUNS);
        new RunIndex(this.ctx.storage.sql).sealChunks();
      });
      await this.ctx.storage.sync();
      // The instance's memory of its rows is outdated.
      this.ctx.waitUntil(
        scheduler.wait(50).then(() => {
          this.ctx.abort("filled");
        }),
      );
      return new Response("filled");
    }
    const { filter, times } = await request.json<ListAsked>();
    return Response.json(
      await timed(times, async () => {
        const page = unwrap(await this.listRuns(filter));
        return { total: page.total_count, ids: page.rows.map(({ run_id: id }) => id) };
      }),
    );
  }
}

/** The same runs, one index, and no counts or label indexes. */
export class BareRuns extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;

  override async fetch(request: Request): Promise<Response> {
    if (request.method === "PUT") {
      this.ctx.storage.transactionSync(() => {
        this.#sql.exec(BARE_TABLES);
        this.#sql.exec(FILL_RUNS);
      });
      return new Response("filled");
    }
    const { filter, times } = await request.json<ListAsked>();
    if (times === 0) {
      return Response.json(this.#scan(filter));
    }
    return Response.json(
      await timed(times, async () => {
        const rows = this.#sql
          .exec<{ run_id: string }>(
            "SELECT * FROM runs WHERE workflow = 1 ORDER BY seq DESC LIMIT ?",
            filter.limit,
          )
          .toArray();
        return { total: 0, ids: rows.map(({ run_id: id }) => id) };
      }),
    );
  }

  /** The correct response, from a scan of all runs. */
  #scan(filter: RunListFilter): ListScanned {
    const labels = Object.entries(filter.labels ?? {}) as [keyof RunLabels, string][];
    const conditions = `(?1 IS NULL OR status = ?1) AND (?2 IS NULL OR workflow_id = ?2)
      AND (?3 IS NULL OR created_at_ms > ?3) AND (?4 IS NULL OR created_at_ms < ?4)
      ${labels.map(([name], at) => `AND +${name} = ?${String(7 + at)}`).join(" ")}`;
    const values = [
      filter.status,
      filter.workflow_id,
      filter.created_after_ms,
      filter.created_before_ms,
    ];
    const after = Number(filter.starting_after?.slice("run_".length) ?? Number.MAX_SAFE_INTEGER);
    const rest = labels.map(([, value]) => value);
    const idsFrom = (offset: number, limit: number) =>
      this.#sql
        .exec<{ id: string }>(
          `SELECT run_id AS id FROM runs WHERE ${conditions} AND seq < ?5
           ORDER BY seq DESC LIMIT ?6 OFFSET ${String(offset)}`,
          ...values,
          after,
          limit,
          ...rest,
        )
        .toArray()
        .map(({ id }) => id);
    const { total } = this.#sql
      .exec<{ total: number }>(
        `SELECT count(*) AS total FROM runs WHERE ${conditions} AND ?5 IS NOT NULL AND ?6 IS NOT NULL`,
        ...values,
        after,
        1,
        ...rest,
      )
      .one();
    const deep = idsFrom(Math.floor(total * 0.9), 1)[0] ?? null;
    return { ms: 0, total, ids: idsFrom(0, filter.limit), deep };
  }
}

const BARE_TABLES = `
  CREATE TABLE runs (seq INTEGER PRIMARY KEY, run_id TEXT NOT NULL, workflow INTEGER NOT NULL,
    workflow_id TEXT NOT NULL, workflow_name TEXT NOT NULL, workflow_version INTEGER NOT NULL,
    status TEXT NOT NULL, progress INTEGER NOT NULL, created_at_ms INTEGER NOT NULL,
    completed_at_ms INTEGER, phase INTEGER NOT NULL, slot INTEGER NOT NULL,
    is_live INTEGER NOT NULL, fresh_from INTEGER NOT NULL, batch TEXT, schedule TEXT,
    retry_of TEXT, client_reference TEXT, embed TEXT, end_user_id TEXT);
  CREATE INDEX runs_by_workflow ON runs (workflow, seq);
  CREATE TABLE run_workflows (workflow INTEGER PRIMARY KEY, workflow_id TEXT NOT NULL UNIQUE);`;

async function timed(
  times: number,
  ask: () => Promise<Omit<ListAnswered, "ms">>,
): Promise<ListAnswered> {
  const begunAt = performance.now();
  let response = await ask();
  for (let time = 1; time < times; time++) {
    response = await ask();
  }
  return { ...response, ms: (performance.now() - begunAt) / times };
}

export default {
  async fetch(request, env) {
    const namespace = new URL(request.url).pathname === "/bare" ? env.BARE : env.FILLED;
    return await namespace.get(namespace.idFromName("half-a-million")).fetch(request);
  },
} satisfies ExportedHandler<Env>;
