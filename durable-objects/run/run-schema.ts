import type { DatabaseSchema } from "../shared/migrations.ts";
import { migrateTables } from "./migrate-tables.ts";

/** See `shared/migrations.ts` for how this is changed. */
export const RUN_SCHEMA: DatabaseSchema = {
  object: "run",
  firstTable: "fact",
  goneIn: 3,
  migrations: [
    // 2: what an element was charged.
    (sql) => {
      sql.exec("ALTER TABLE cell ADD COLUMN extra TEXT");
    },
    // 3: one table of parts for those of facts, cells and tasks.
    migrateTables,
    // 4: files in rows and in packs, contents of which are texts by themselves. Older rows have none of
    // it and stay as they are; older code must not read newer ones.
    () => {},
  ],
};

/** The fact that the transaction which ends a run writes: the id of its event (docs/contract/webhooks.md#events). */
export const OUTBOX_KEY = "outbox";

/** Files of the run are in rows or in packs: only workers that read these get its tasks. */
export const HELD_FACT = "held_files";

/** When the retention of what the run has made was over. */
export const EXPIRED_KEY = "outputs_expired_at";
