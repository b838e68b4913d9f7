import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import {
  providerDatabase,
  type ProviderRow,
  readProviderRows,
  selectProvidersFor,
} from "./provider-store.ts";

const Row = z.object({ capability: z.string(), model: z.string() }).readonly();
/** The default model of a capability, as an operator chose it for a workspace. */
export type ModelDefaultRow = z.infer<typeof Row>;

const SELECT = "SELECT capability, model FROM model_defaults WHERE workspace_id = ?";

/** What decides which models a workspace can use, read in one call. */
export interface ModelConfigurationRows {
  /** Those of the system have an empty `workspace_id`. */
  readonly providers: readonly ProviderRow[];
  readonly defaults: readonly ModelDefaultRow[];
}

export async function modelConfigurationFor(
  bindings: Databases,
  workspaceId: string,
): Promise<ModelConfigurationRows> {
  const db = providerDatabase(bindings, workspaceId);
  const [providers, defaults] = await db.batch([
    selectProvidersFor(db, workspaceId),
    db.prepare(SELECT).bind(workspaceId),
  ]);
  return {
    providers: await readProviderRows(bindings, db, providers?.results ?? []),
    defaults: (defaults?.results ?? []).map((row) => Row.parse(row)),
  };
}

/** All SQL on the defaults of one workspace. */
export class ModelDefaultStore {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  async list(): Promise<readonly ModelDefaultRow[]> {
    const { results } = await this.#db.prepare(SELECT).bind(this.#workspaceId).all();
    return results.map((row) => Row.parse(row));
  }

  async put({ capability, model }: ModelDefaultRow, nowMs: number): Promise<void> {
    await this.#db
      .prepare(
        `INSERT INTO model_defaults (workspace_id, capability, model, updated_at_ms) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (workspace_id, capability) DO UPDATE SET model = excluded.model, updated_at_ms = excluded.updated_at_ms`,
      )
      .bind(this.#workspaceId, capability, model, nowMs)
      .run();
  }

  /** Has no effect if there is none. */
  async delete(capability: string): Promise<void> {
    await this.#db
      .prepare("DELETE FROM model_defaults WHERE workspace_id = ? AND capability = ?")
      .bind(this.#workspaceId, capability)
      .run();
  }
}
