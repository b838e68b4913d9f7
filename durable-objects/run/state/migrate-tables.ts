/**
 * Version 3 of a run's database: everything in one table of parts (docs/decisions/run-rows.md). Ended runs are migrated
 * like live ones, when they are next woken; in one transaction with the version's mark, a part at a time.
 */
import type { AxisRow, ReportedTask, SkippedItems } from "../../../src/engine/drive/run-rows.ts";
import { CELL_STATUSES, type RunState } from "../../../src/engine/step/run-state.ts";
import { AxisPages } from "../blocks/axis-pages.ts";
import { extraIn, type ExtraText } from "../blocks/block-text.ts";
import { ElementBlocks } from "../blocks/element-blocks.ts";
import { PART_TABLE, PartRows } from "../blocks/part-rows.ts";
import { RunLog } from "../views/run-log.ts";
import { decodeState, encodeRunRow, type MetaValue, type RunRow } from "./state-text.ts";
import { newTask, type TaskWait } from "../tasks/task-entry.ts";

/** Cells read at once, of at most 64 KiB each. */
const CELLS_AT_ONCE = 100;

/** The metadata that numbered tasks; task numbers now follow from their elements. Chunk numbers continue from it. */
const GONE = "tasks";

export function migrateTables(sql: SqlStorage): void {
  sql.exec(PART_TABLE);
  const parts = new PartRows(sql, true);
  const tables = new Set(
    sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
      .map(({ name }) => name),
  );
  const metadata = moveTexts(sql, parts);
  const state = readableState(metadata.get("state"));
  metadata.delete("state");
  // Without its plan the scopes of a run's nodes are unknown, so each node has its own blocks.
  const groups = state?.nodes.map((_, node) => node) ?? [];
  const blocks = new ElementBlocks(parts, (node) => groups[node] ?? 0);
  moveCells(sql, blocks, parts);
  if (tables.has("task")) {
    moveTasks(sql, blocks);
    moveAxes(sql, parts);
  }
  const row: RunRow = {
    state,
    metadata,
    log: moveLog(sql, parts),
    skipped: tables.has("skipped") ? skippedItems(sql) : new Map(),
    firstFailed: firstFailed(sql),
    hasTasks: tables.has("task"),
    groups,
  };
  blocks.encode(false);
  parts.put("state", encodeRunRow(row));
  parts.flush();
  for (const table of ["fact", "cell", "axis_row", "skipped", "task"]) {
    sql.exec(`DROP TABLE IF EXISTS ${table}`);
  }
}

/** Null for a damaged plan: the run is migrated without it, and its next wake ends it. */
function readableState(text: MetaValue | undefined): RunState | null {
  try {
    return decodeState(String(text));
  } catch {
    return null;
  }
}

/** Long texts become parts; returns the remaining metadata. */
function moveTexts(sql: SqlStorage, parts: PartRows): Map<string, MetaValue> {
  const metadata = new Map<string, MetaValue>();
  const orphans: [number, number][] = [];
  for (const { name, value } of sql
    .exec<{ name: string; value: MetaValue }>(
      "SELECT name, value FROM fact WHERE NOT (name >= 'log.' AND name < 'log/')",
    )
    .toArray()) {
    if (/^(facts|definition|event)\.\d+$/.test(name)) {
      parts.put(`text.${name}`, String(value));
    } else if (name.startsWith("litter.")) {
      orphans.push([Number(name.slice("litter.".length)), Number(value)]);
    } else if (name !== GONE) {
      metadata.set(name, value);
    }
  }
  if (orphans.length > 0) {
    parts.put("litter", JSON.stringify(orphans));
  }
  // Its results may be in R2; that was not recorded.
  metadata.set("files", 1);
  parts.flush();
  return metadata;
}

function moveCells(sql: SqlStorage, blocks: ElementBlocks, parts: PartRows): void {
  interface Cell extends Record<string, SqlStorageValue> {
    node: number;
    ord: number;
    status: number;
    body: string;
    attempts: number | null;
    ms: number | null;
    extra: string | null;
  }
  for (let [node, ord] = [Number.MIN_SAFE_INTEGER, 0]; ;) {
    const cells = sql
      .exec<Cell>(
        `SELECT node, ord, status, body, attempts, ms, extra FROM cell
         WHERE (node, ord) > (?, ?) ORDER BY node, ord LIMIT ?`,
        node,
        ord,
        CELLS_AT_ONCE,
      )
      .toArray();
    const last = cells.at(-1);
    if (last === undefined) {
      return;
    }
    blocks.putCells(
      cells.map((cell) => ({
        node: cell.node,
        element: cell.ord,
        status: CELL_STATUSES[cell.status] ?? "failed",
        body: cell.body,
        ...(cell.attempts === null
          ? {}
          : { work: { attempts: cell.attempts, durationMs: cell.ms ?? 0 } }),
        ...(cell.extra === null ? {} : extraIn(JSON.parse(cell.extra) as ExtraText)),
      })),
    );
    blocks.encode(false);
    parts.flush();
    blocks.evict();
    [node, ord] = [last.node, last.ord];
  }
}

type Kept = (ReportedTask["outcome"] & { readonly waits?: number }) | TaskWait;

function moveTasks(sql: SqlStorage, blocks: ElementBlocks): void {
  interface Task extends Record<string, SqlStorageValue> {
    id: number;
    node: number;
    ord: number;
    status: string;
    attempt: number;
    fence: number;
    boot: string | null;
    due_at: number | null;
    outcome: string | null;
    ms: number;
  }
  for (const task of sql.exec<Task>("SELECT * FROM task ORDER BY id").toArray()) {
    const { id, node, ord, fence, status } = task;
    const kept = task.outcome === null ? null : (JSON.parse(task.outcome) as Kept);
    const isReported = status === "reported";
    // An outcome row also had the number of the task's waits; a row without an outcome had the wait's token.
    const { waits = 0, ...outcome } = kept ?? {};
    blocks.putTask({
      // A runner may know the task by its number, and its files have keys with it.
      ...newTask(node, ord, fence > 0 ? id : undefined),
      status:
        status === "leased" || status === "waiting" || status === "reported" ? status : "ready",
      attempt: task.attempt,
      fence,
      boot: task.boot,
      dueMs: task.due_at,
      ms: task.ms,
      outcome: isReported ? (outcome as ReportedTask["outcome"]) : null,
      wait: isReported
        ? waits === 0
          ? null
          : { token: "", sinceMs: 0, waits }
        : (kept as TaskWait | null),
    });
  }
}

function moveAxes(sql: SqlStorage, parts: PartRows): void {
  interface Row extends Record<string, SqlStorageValue> {
    axis: number;
    parent: number;
    status: number;
    count: number;
    failure: string | null;
  }
  new AxisPages(parts).add(
    sql
      .exec<Row>("SELECT axis, parent, status, count, failure FROM axis_row ORDER BY axis, parent")
      .toArray()
      .map(({ failure, status, ...row }) => ({
        ...row,
        status: CELL_STATUSES[status] ?? "failed",
        failure: failure === null ? null : (JSON.parse(failure) as AxisRow["failure"]),
      })),
  );
}

function moveLog(sql: SqlStorage, parts: PartRows): RunRow["log"] {
  const log = new RunLog(
    parts,
    () => 0,
    () => ({ from: 1, entries: [] }),
  );
  for (const { value } of sql
    .exec<{ value: string }>(
      "SELECT value FROM fact WHERE name >= 'log.' AND name < 'log/' ORDER BY name",
    )
    .toArray()) {
    log.appendText(value);
  }
  return log.tail;
}

function skippedItems(sql: SqlStorage): Map<number, SkippedItems> {
  return new Map(
    sql
      .exec<{ node: number; skipped: number; total: number }>(
        "SELECT node, skipped, total FROM skipped",
      )
      .toArray()
      .map(({ node, skipped, total }) => [node, { node, skipped, of: total }]),
  );
}

function firstFailed(sql: SqlStorage): Map<number, number> {
  const failed = CELL_STATUSES.indexOf("failed");
  return new Map(
    sql
      .exec<{ node: number; ord: number }>(
        "SELECT node, min(ord) AS ord FROM cell WHERE status = ? GROUP BY node",
        failed,
      )
      .toArray()
      .map(({ node, ord }) => [node, ord]),
  );
}
