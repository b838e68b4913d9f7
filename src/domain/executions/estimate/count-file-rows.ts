import type { DatasetOptions, DatasetProfile } from "../../../contracts/dataset.ts";
import { profileDataset } from "../../../datasets/profile/profile-dataset.ts";
import type { OpenSink } from "../../../datasets/profile/profile-of.ts";
import { cellForm } from "../../../datasets/rows/cell-form.ts";
import type { StoredRow } from "../../../datasets/rows/read-rows.ts";
import { Table } from "../../../datasets/rows/table.ts";
import { SUBMITTED_PORT } from "../../../engine/plan/node-kind.ts";
import type { Plan, PlanNode } from "../../../engine/plan/plan.ts";
import { decodeValue } from "../../../engine/values.ts";
import { FileRef } from "../../../lib/files/file-ref.ts";
import { NodeError } from "../../../lib/errors/node-error.ts";
import { NodeInputs } from "../../../nodes/define-ports.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { openFileSource } from "../../../storage/r2/open-file-source.ts";
import { asNodeError } from "../../datasets/as-node-error.ts";
import { tableReadingBytes } from "../../datasets/reading-memory.ts";
import type { BoundInputs } from "../submit/bind-inputs.ts";
import { inlineNodeContext } from "../inline-node-context.ts";

/** The properties of a submit's stored files that an estimate needs. */
export interface CountedFiles {
  /** Number of elements, by the input node or enumerator that creates them. */
  readonly rows: ReadonlyMap<string, number>;
  /** Nodes that read a column that the file does not have; they fail in the run. */
  readonly lacking: readonly { readonly nodeId: string; readonly message: string }[];
}

/**
 * Reads the stored files of a submit and counts their elements. A file that cannot be read has no
 * count: the run will report its error.
 */
export async function countFileRows(
  ctx: CallerContext,
  plan: Plan,
  bound: Pick<BoundInputs, "input_files">,
): Promise<CountedFiles> {
  const rows = new Map<string, number>();
  const lacking: { nodeId: string; message: string }[] = [];
  for (const { node_id: id, stored } of bound.input_files ?? []) {
    const node = plan.nodes.find((candidate) => candidate.id === id);
    const file = decodeValue(stored);
    if (node?.type.role !== "input" || !(file instanceof FileRef)) {
      continue;
    }
    const options = node.type.datasetOptions?.(node.params);
    await unlessUnreadable(id, lacking, async () => {
      if (options === undefined) {
        const count = await countElements(ctx, node, file);
        if (count !== undefined) {
          rows.set(id, count);
        }
        return;
      }
      const table = await readTable(ctx, file, options);
      rows.set(id, table.row_count);
      for (const reader of readersOf(plan, node)) {
        await unlessUnreadable(reader.id, lacking, async () => {
          const kept = await countKept(ctx, reader, table, file, options);
          if (kept !== undefined) {
            rows.set(reader.id, kept);
          }
        });
      }
    });
  }
  return { rows, lacking };
}

async function unlessUnreadable(
  nodeId: string,
  lacking: { nodeId: string; message: string }[],
  read: () => Promise<void>,
): Promise<void> {
  try {
    await read();
  } catch (error) {
    const known = asNodeError(error);
    if (!(known instanceof NodeError)) {
      throw error;
    }
    if (known.code === "COLUMN_NOT_FOUND") {
      lacking.push({ nodeId, message: known.message });
    }
  }
}

/** Elements that an input creates directly from its file. */
async function countElements(
  ctx: CallerContext,
  { type, params }: PlanNode,
  file: FileRef,
): Promise<number | undefined> {
  if (type.role !== "input") {
    return undefined;
  }
  const inputs = new NodeInputs(new Map([[SUBMITTED_PORT, file]]));
  const tools = inlineNodeContext(ctx.env.FILES, ctx.principal.workspaceId, true);
  const elements = type.stream?.(tools, inputs, params);
  if (elements === undefined) {
    return undefined;
  }
  let count = 0;
  for await (const _element of elements) {
    count++;
  }
  return count;
}

async function readTable(
  ctx: CallerContext,
  file: FileRef,
  options: DatasetOptions,
  rows?: OpenSink,
): Promise<DatasetProfile> {
  const source = await openFileSource(ctx.env.FILES, ctx.principal.workspaceId, file);
  const { profile } = await ctx.memory.use(tableReadingBytes(file.name, source.sizeBytes), () =>
    profileDataset(source, file.name, { ...options, sampleRows: 0 }, rows),
  );
  return profile;
}

/** Enumerators over the rows of an input's dataset. */
function readersOf(plan: Plan, input: PlanNode): PlanNode[] {
  return plan.nodes.filter(
    ({ type, inputs }) =>
      type.role === "enumerator" &&
      type.rowsOf !== undefined &&
      inputs.some(
        ({ port, sources }) =>
          port === type.rowsOf && sources.some(({ node }) => node === input.index),
      ),
  );
}

/**
 * Number of rows of a dataset that become elements; undefined if every row does. The file is read a
 * second time, because a cell is converted by the type of its whole column. Throws NodeError
 * `COLUMN_NOT_FOUND`, and the errors of reading a row.
 */
async function countKept(
  ctx: CallerContext,
  { type, params }: PlanNode,
  { columns, row_count: rows, format }: DatasetProfile,
  file: FileRef,
  options: DatasetOptions,
): Promise<number | undefined> {
  if (type.role !== "enumerator" || rows === 0) {
    return undefined;
  }
  const names = new Set(columns.map(({ name }) => name));
  const missing = type.columnsOf?.(params).find((name) => !names.has(name));
  if (missing !== undefined) {
    throw new NodeError(
      "COLUMN_NOT_FOUND",
      `"${file.name}" has no column ${JSON.stringify(missing)}.`,
    );
  }
  const test = type.rowTest?.(params);
  if (test === undefined) {
    return undefined;
  }
  const table = new Table(columns, cellForm(format, options.locale), true);
  let kept = 0;
  await readTable(ctx, file, options, () => {
    let index = 0;
    kept = 0;
    return {
      add(row) {
        kept += test(table.row(index, row as StoredRow)) ? 1 : 0;
        index++;
      },
      drained: () => undefined,
    };
  });
  return kept;
}
