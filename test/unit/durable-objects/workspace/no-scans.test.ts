/**
 * No statement of the workspace object, which admits runs, reads a table that grows with them from end to end. Lists
 * with every filter are also counted row by row on 500,000 runs (test/worker/workspace/run-index.test.ts).
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { LABELS } from "../../../../durable-objects/workspace/label-index.ts";
import { createWorkspaceTables } from "../../../../durable-objects/workspace/workspace-schema.ts";

const FOLDER = "durable-objects/workspace";

/** What templates insert into statements, by its source; all variants that a plan could depend on. */
const INSERTED: Readonly<Record<string, string>> = {
  'LABELS.join(", ")': LABELS.join(", "),
  COLUMNS: "*",
  where: "(?1 IS NULL OR status = ?1) AND (?2 IS NULL OR workflow_id = ?2)",
  "String(CHUNK_RUNS)": "1024",
  name: "batch",
  "LABEL_INDEX[name]": "runs_by_batch",
  'run.is_live === 1 ? "" : "is_live = 1,"': "is_live = 1,",
  'keepsStart ? "" : ", due_at_ms = NULL, start = NULL"': ", due_at_ms = NULL, start = NULL",
  "String(FREQUENT_RUNS)": "8",
  "this.#besides(label)": `FROM json_each(?2) AS gap CROSS JOIN runs INDEXED BY runs_by_batch
    WHERE batch = ?1 AND seq BETWEEN gap.value ->> 0 AND gap.value ->> 1`,
};

/**
 * Complete reads that are meant, each with its bound. Another one needs an index, or a kept count.
 */
const BOUNDED: Readonly<Record<string, string>> = {
  settings: "one row",
  account: "one row",
  owner: "one row",
  retention: "one row",
  batches: "a short row for each batch, whose items are elsewhere; read by lists of batches only",
  webhook_endpoints:
    "an entry for each endpoint, read when the object wakes and an endpoint changes",
};

interface Statement {
  readonly file: string;
  readonly text: string;
}

/** Every statement in the sources, with its inserted parts. */
function statementsOf(file: string, source: string): Statement[] {
  return [...source.matchAll(/`([^`]*)`|"([^"\n]*)"/g)]
    .map(([, template, plain]) => template ?? plain ?? "")
    .filter((text) => /^\s*(?:SELECT|UPDATE|DELETE|INSERT|REPLACE|WITH)\b/.test(text))
    .map((text) => ({
      file,
      text: text.replaceAll(/\$\{((?:[^{}]|\{[^{}]*\})*)\}/g, (_whole, inserted: string) => {
        const part = INSERTED[inserted.replaceAll(/\s+/g, " ").trim()];
        if (part === undefined) {
          throw new Error(`${file} inserts \${${inserted}} into a statement: add it to INSERTED.`);
        }
        return part;
      }),
    }));
}

function database(): DatabaseSync {
  const made = new DatabaseSync(":memory:");
  createWorkspaceTables({ exec: (text: string) => made.exec(text) } as unknown as SqlStorage);
  return made;
}

/** Tables that a statement reads from end to end, other than lists that it was given. */
function scansOf(made: DatabaseSync, { text }: Statement): string[] {
  const highest = Math.max(0, ...[...text.matchAll(/\?(\d+)/g)].map(([, n]) => Number(n)));
  const given = highest || (text.match(/\?/g) ?? []).length;
  const plan = made
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all(...Array.from({ length: given }, () => null)) as { detail: string }[];
  return plan.flatMap(({ detail }) => {
    const [, table] = /^SCAN (?!CONSTANT|json_each|gap\b)(\S+)/.exec(detail) ?? [];
    // An index that holds only the rows which are due, live or late is read as far as they go.
    // The newest row is the first that is read.
    const isNewest = /^\s*SELECT [\w, ]+ FROM \w+ ORDER BY seq DESC LIMIT 1$/.test(text);
    const isPartial = /USING (?:COVERING )?INDEX runs_(?:live|due|late)\b/.test(detail);
    return table === undefined || isPartial || isNewest ? [] : [table];
  });
}

describe("the statements of the workspace object", () => {
  const statements = readdirSync(FOLDER)
    .filter((name) => !name.startsWith("workspace-schema"))
    .flatMap((name) => statementsOf(name, readFileSync(join(FOLDER, name), "utf8")));

  test("find their rows by an index, or read a table of one row", () => {
    expect(statements.length).toBeGreaterThan(80);
    const made = database();
    const complete = statements.flatMap((statement) =>
      scansOf(made, statement)
        .filter((table) => !Object.hasOwn(BOUNDED, table))
        .map((table) => `${statement.file} reads all of ${table}: ${statement.text}`),
    );
    expect(complete).toEqual([]);
    made.close();
  });

  test("are found if they count, list or wait by a scan", () => {
    const made = database();
    const planted = statementsOf(
      "planted.ts",
      `sql.exec("SELECT count(*) FROM runs WHERE status = ?");
       sql.exec("SELECT run_id FROM runs WHERE workflow_id = ? ORDER BY seq DESC LIMIT 25");
       sql.exec("SELECT 1 FROM holds WHERE settled = 0");
       sql.exec("SELECT run_id FROM runs WHERE run_id = ?");`,
    );
    expect(planted.map((statement) => scansOf(made, statement))).toEqual([
      ["runs"],
      ["runs"],
      ["holds"],
      [],
    ]);
    made.close();
  });
});
