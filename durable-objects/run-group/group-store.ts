import type { KeptRun } from "../../src/contracts/runs/run-group-api.ts";
import { type DatabaseSchema, openDatabase, schemaMark } from "../shared/migrations.ts";
import { NAMED_VALUES_TABLE, NamedValues } from "../shared/named-values.ts";

/** `shared/migrations.ts` describes how to change this table. */
export const GROUP_SCHEMA: DatabaseSchema = {
  object: "run-group",
  firstTable: "run",
  migrations: [],
};

/**
 * `body` is a `KeptRun` as JSON, without the definition, which is a named value. Empty: the run's own object has the run, or
 * has begun it.
 */
export const GROUP_TABLES = `
  ${NAMED_VALUES_TABLE}
  CREATE TABLE run (${schemaMark(1)} id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;`;

interface Body extends KeptRun {
  /** The version of the workflow, whose definition is stored once. */
  readonly workflow_version: number;
}

/** All SQL of a group of runs. */
export class GroupStore {
  readonly #storage: DurableObjectStorage;
  readonly #values: NamedValues;
  #hasTables: boolean;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#values = new NamedValues(storage.sql);
    this.#hasTables = openDatabase(storage, GROUP_SCHEMA).version > 0;
  }

  /** Whether the run was carried out here, or is its own object's. */
  knows(runId: string): boolean {
    return this.#body(runId) !== undefined;
  }

  /** The run with its definition, or null if there is none here. */
  kept(runId: string): (KeptRun & { readonly definition: string }) | null {
    const body = this.#body(runId);
    if (body === undefined || body === "") {
      return null;
    }
    // Written by this class.
    const { workflow_version: version, ...kept } = JSON.parse(body) as Body;
    return { ...kept, definition: String(this.#values.get(definitionOf(version)) ?? "") };
  }

  /** All of them in one transaction. */
  keep(
    runs: readonly { readonly id: string; readonly version: number; readonly kept: KeptRun }[],
    definition: string,
  ): void {
    const versions = new Set(runs.map(({ version }) => version));
    this.#write(() => {
      for (const version of versions) {
        if (this.#values.get(definitionOf(version)) === undefined) {
          this.#values.put(definitionOf(version), definition);
        }
      }
      for (const { id, version, kept } of runs) {
        const body: Body = { ...kept, workflow_version: version };
        this.#storage.sql.exec("INSERT INTO run VALUES (?, ?)", id, JSON.stringify(body));
      }
    });
  }

  /** The run's own object has it from now on. */
  leave(runId: string): void {
    this.#write(() => {
      this.#storage.sql.exec("INSERT OR REPLACE INTO run VALUES (?, '')", runId);
    });
  }

  #body(runId: string): string | undefined {
    return this.#hasTables
      ? this.#storage.sql
          .exec<{ body: string }>("SELECT body FROM run WHERE id = ?", runId)
          .toArray()[0]?.body
      : undefined;
  }

  #write(work: () => void): void {
    this.#storage.transactionSync(() => {
      if (!this.#hasTables) {
        this.#storage.sql.exec(GROUP_TABLES);
      }
      work();
    });
    this.#hasTables = true;
  }
}

function definitionOf(version: number): string {
  return `definition.${String(version)}`;
}
