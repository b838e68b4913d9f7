/** The part of the runner that the API Worker calls, for Worker tests. */
import { WorkerEntrypoint } from "cloudflare:workers";
import { OrganizationMoveObject as Mover } from "../../../durable-objects/organization-move/organization-move-object.ts";
import type { CacheObjectApi } from "../../../src/contracts/runs/result-cache.ts";
import type { RunnerEnv } from "../../../src/platform/env.ts";

export { FileTypes } from "../../../src/workers/runner/file-types.ts";

export { FontChecker } from "../../../src/workers/runner/font-checker.ts";

export { ModelProviders } from "../../../src/workers/runner/model-providers-entry.ts";

export { BatchExportObject } from "../../../durable-objects/batch-export/batch-export-object.ts";
export { BatchExports } from "../../../src/workers/runner/batch-exports.ts";

export { CacheObject } from "../../../durable-objects/cache/cache-object.ts";
export { OrganizationMoves } from "../../../src/workers/runner/organization-moves.ts";
export { ResultCache } from "../../../src/workers/runner/result-cache.ts";

export { Thumbnails } from "../../../src/workers/runner/thumbnails.ts";

/** Organizations whose next object of a move is lost before a statement that has this text. */
const losses = new Map<string, string>();

/** With the databases of test/support/shards.ts. */
export class OrganizationMoveObject extends Mover {
  constructor(
    state: DurableObjectState,
    env: RunnerEnv & { readonly SHARD_1: D1Database; readonly SHARD_2: D1Database },
  ) {
    const losing = (db: D1Database): D1Database =>
      ({
        prepare: (sql: string) => {
          const { name = "" } = state.id;
          const text = losses.get(name);
          if (text !== undefined && sql.includes(text)) {
            losses.delete(name);
            state.abort("lost, as a test asked");
          }
          return db.prepare(sql);
        },
        batch: (statements: D1PreparedStatement[]) => db.batch(statements),
      }) as unknown as D1Database;
    const [DB, DB_1, DB_2] = [env.DB, env.SHARD_1, env.SHARD_2].map(losing);
    super(state, { ...env, DB, DB_1, DB_2 } as RunnerEnv);
  }
}

/** Builds no archives: tests that need one replace the builder. */
export class ZipBuilders extends WorkerEntrypoint {
  wake(): Promise<void> {
    return Promise.resolve();
  }
}

/** Lets tests call the objects of the result cache as executors do, and lose objects of moves. */
export class CacheDoor extends WorkerEntrypoint<RunnerEnv> {
  loseMove(organization: string, sql: string): void {
    losses.set(organization, sql);
  }

  hasLostMove(organization: string): boolean {
    return !losses.has(organization);
  }

  async call(name: string, method: keyof CacheObjectApi, request: never): Promise<unknown> {
    const { CACHE } = this.env;
    return await CACHE.get(CACHE.idFromName(name))[method](request);
  }
}

export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;
