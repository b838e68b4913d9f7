/** What a database does for an organization that moves (docs/decisions/moves.md): tables of migration 0019, and triggers. */
import { MOVED_TABLES, type MovedTable } from "../../../contracts/workspaces/moved-tables.ts";
import { MOVE_REFUSALS } from "../move-refusals.ts";

/**
 * The statements that put the triggers of today on every table. They stay when a move has ended: while the database has no
 * row in `organization_moves`, they do nothing.
 */
export function triggerStatements(): string[] {
  return MOVED_TABLES.flatMap((table) =>
    EVENTS.flatMap((event) => [
      `DROP TRIGGER IF EXISTS ${triggerName(table, event)}`,
      createTrigger(table, event),
    ]),
  );
}

const EVENTS = ["INSERT", "UPDATE", "DELETE"] as const;

function triggerName(table: MovedTable, event: string): string {
  return `${table.name}_move_${event.toLowerCase()}`;
}

/** The fence first, and then the log. */
function createTrigger(table: MovedTable, event: (typeof EVENTS)[number]): string {
  const row = event === "DELETE" ? "OLD" : "NEW";
  const column = `${row}.${table.workspace ?? "workspace_id"}`;
  const workspace =
    table.hasMore === true ? `substr(${column}, 1, instr(${column} || ' ', ' ') - 1)` : column;
  const organization =
    table.organization === undefined
      ? `(SELECT organization_id FROM workspaces WHERE id = ${workspace})`
      : `${row}.${table.organization}`;
  const isOurs = `organization_id = ${organization}`;
  const log = (of: string) =>
    `  INSERT INTO organization_move_log (organization_id, table_name, row_key)
  SELECT organization_id, '${table.name}', json_array(${table.key.map((column) => `${of}.${column}`).join(", ")})
  FROM organization_moves WHERE state IN ('copying', 'fenced') AND ${isOurs};`;
  return `CREATE TRIGGER ${triggerName(table, event)} AFTER ${event} ON ${table.name}
WHEN EXISTS (SELECT 1 FROM organization_moves) BEGIN
  SELECT RAISE(ABORT, '${MOVE_REFUSALS.elsewhere}') FROM organization_moves
  WHERE state IN ('moved', 'arriving') AND ${isOurs};
  SELECT RAISE(ABORT, '${MOVE_REFUSALS.fenced}') FROM organization_moves
  WHERE state = 'fenced' AND fenced_until_ms > unixepoch('subsec') * 1000 AND ${isOurs};
${event === "UPDATE" ? `${log("OLD")}\n` : ""}${log(row)}
END`;
}
