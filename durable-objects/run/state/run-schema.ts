import type { DatabaseSchema } from "../../shared/migrations.ts";
import { migrateTables } from "./migrate-tables.ts";

/** `shared/migrations.ts` describes how to change this. */
export const RUN_SCHEMA: DatabaseSchema = {
  object: "run",
  firstTable: "fact",
  goneIn: 3,
  migrations: [
    // 2: the charge of an element.
    (sql) => {
      sql.exec("ALTER TABLE cell ADD COLUMN extra TEXT");
    },
    // 3: one table of parts instead of those of facts, cells and tasks.
    migrateTables,
    // 4: files in rows and in packs, with contents as separate texts. Older rows have none and stay unchanged; older
    // code must not read newer ones.
    () => {},
    // 5: elements that were taken over from another run. Older rows have none and stay unchanged; older code must not
    // read newer ones.
    () => {},
  ],
};

/** Metadata written by the transaction that ends a run: the id of its event (docs/contract/webhooks.md#events). */
export const OUTBOX_KEY = "outbox";

/** Files of the run are in rows or in packs: only workers that can read these get its tasks. */
export const HELD_FACT = "held_files";

/** Results of the run may be in the result cache. */
export const CACHED_FACT = "cached_results";

/** When the run's outputs expired. */
export const EXPIRED_KEY = "outputs_expired_at";
