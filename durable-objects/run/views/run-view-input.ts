import type { RunReadRequest } from "../../../src/contracts/runs/run-object-api.ts";
import { isTerminal } from "../../../src/contracts/runs/run.ts";
import type { CellRow } from "../../../src/engine/drive/run-rows.ts";
import { settledCount } from "../../../src/engine/step/run-state.ts";
import { readOutputs } from "../../../src/engine/values/cell-outputs.ts";
import { FirstCause } from "../../../src/engine/view/first-cause.ts";
import type {
  Cause,
  GroupMetadata,
  ViewBody,
  ViewCell,
  ViewInput,
  ViewOutput,
} from "../../../src/engine/view/view-input.ts";
import { stringifyJson, type JsonValue } from "../../../src/lib/json/exact-json.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { nodeErrorGuide } from "../../../src/lib/errors/node-error-guides.ts";
import { isSpilled } from "../../../src/engine/values.ts";
import { cellUrl, fileUrl, heldFileKey } from "../../../src/platform/file-url.ts";
import { isOwnFile } from "../../../src/storage/r2/own-file.ts";
import { readValueText } from "../../../src/storage/r2/run-values.ts";
import { cellTokenOf, fileTokenOf, keyName } from "../tasks/held-file.ts";
import type { LiveRun } from "../live-run.ts";
import { readingWarnings } from "../../../src/engine/view/reading-warnings.ts";
import { runFailure } from "./run-metadata-view.ts";
import { chargedMilliCredits } from "../run-money.ts";
import { EXPIRED_KEY } from "../state/run-schema.ts";
import { notesOf } from "./node-notes.ts";
import type { ShownRows } from "./past-run.ts";

/** A run as input of the result view. `tokenOf` makes the tokens of addresses that the run object serves. */
export function runViewInput(
  run: LiveRun,
  store: ShownRows,
  request: RunReadRequest,
  tokenOf: (what: string) => string,
  files: R2Bucket,
): ViewInput {
  const { metadata, outline, layout, state } = run;
  const ended = isTerminal(state.status);
  const failure = ended ? runFailure(run, store) : null;
  const charged = chargedMilliCredits(run, state);
  const expiredAt = store.getMetadata(EXPIRED_KEY);
  const isExpired = expiredAt !== undefined;
  const nodeOf = (output: ViewOutput) => {
    const node = outline.nodes[output.node];
    if (node === undefined) {
      throw new Error(`no node for output ${output.key}`);
    }
    return node;
  };
  const ownPrefix = `${metadata.workspace_id}/runs/${metadata.run_id}/`;
  const isServed = (file: FileRef) => file.isObject && isOwnFile(file, ownPrefix);
  const causes = new FirstCause(outline, layout, state, store);
  const unreached = unreachedCause(run);
  return {
    run: {
      runId: metadata.run_id,
      workflowId: metadata.workflow_id,
      status: state.status,
      isTerminal: ended,
      creditsUsedMilli: ended || charged > 0 ? charged : null,
      errorCode: failure?.code ?? null,
      errorMessage: failure?.message ?? null,
    },
    outputs: outline.outputs,
    onlyNodeIds: metadata.output_node_ids === null ? null : new Set(metadata.output_node_ids),
    warnings: [
      ...store.skipped().map(({ node, skipped, of }) => ({
        code: "ITEMS_SKIPPED" as const,
        node_id: outline.nodes[node]?.id ?? "",
        skipped,
        of,
      })),
      ...(metadata.dropped_inputs ?? []).map((input) => ({
        code: "INPUT_DROPPED" as const,
        input,
      })),
      ...outline.axes.flatMap(({ node }) =>
        readingWarnings(outline.nodes[node]?.id ?? "", notesOf(store, node)),
      ),
      ...(isExpired
        ? [
            {
              code: "OUTPUTS_EXPIRED" as const,
              expired_at: new Date(Number(expiredAt)).toISOString(),
            },
          ]
        : []),
    ],
    metadata: (output): GroupMetadata => {
      const node = nodeOf(output);
      const now = state.nodes[node.index];
      const axes = outline.scopes[node.scope]?.axes ?? [];
      const isAxisAbsent = layout.hasAbsentAxis(axes, 0, 0);
      if (now === undefined || now.total < 0) {
        return { isSettled: false, isAxisAbsent, ok: 0, failed: 0, absent: 0, pending: 0 };
      }
      if (now.whole !== null) {
        // Represents all its missing elements: one element without indices.
        return { isSettled: true, isAxisAbsent, ok: 0, failed: 1, absent: 0, pending: 0 };
      }
      return {
        isSettled: now.phase === "settled",
        isAxisAbsent,
        // Expired outputs are treated as never made, unless they were skipped.
        ok: isExpired ? 0 : now.ok,
        failed: now.failed + now.blocked + (isExpired ? now.ok : 0),
        absent: now.absent,
        pending: now.total - settledCount(now),
      };
    },
    cells: (output, fromIndex, limit): ViewCell[] => {
      const node = nodeOf(output);
      const now = state.nodes[node.index];
      if (now === undefined || now.total < 0) {
        return [];
      }
      if (now.whole !== null) {
        return fromIndex > 0
          ? []
          : [{ element: 0, indices: [], state: now.whole.status, body: null }];
      }
      const to = Math.min(fromIndex + limit, now.total);
      const isText = output.type === "text" || output.type === "json";
      const found = isText
        ? store.cellsBetween(node.index, fromIndex, to)
        : store.fileCellsBetween(node.index, fromIndex, to);
      const rows = new Map(found.map((row) => [row.element, row]));
      return Array.from({ length: Math.max(0, to - fromIndex) }, (_, i) => {
        const element = fromIndex + i;
        const row = rows.get(element);
        return {
          element,
          indices: layout.indices(node.scope, element),
          state: row?.status ?? "pending",
          body: row === undefined || isExpired ? null : outputBody(row, output.type),
        };
      });
    },
    cause: (output, cell): Cause | null => {
      if (cell === null || cell.state === "pending") {
        return unreached;
      }
      return cell.state === "ok"
        ? expiredCause(nodeOf(output).id)
        : causes.of(output.node, cell.element);
    },
    readText: (file) => readValueText(files, file),
    // A file of an element that was taken over lies among those of another run, which expire by themselves.
    fileUrl: (output, { element }, file) => {
      const held = () => ({
        workspaceId: metadata.workspace_id,
        runId: metadata.run_id,
        token: tokenOf(fileTokenOf(output.node, element)),
        node: output.node,
        element,
        name: keyName(file),
      });
      return fileUrl(request.base_url, isServed(file) ? file.key : heldFileKey(held()));
    },
    cellUrl: (output, cell) =>
      cellUrl(request.base_url, {
        workspaceId: metadata.workspace_id,
        runId: metadata.run_id,
        token: tokenOf(cellTokenOf(output.node, cell.element)),
        node: output.node,
        element: cell.element,
        isJson: output.type === "json",
      }),
  };
}

/** Why a run did not reach some work: it was stopped, or cancelled. Null while it still may. */
function unreachedCause({ outline, state }: LiveRun): Cause | null {
  const { stopped, status } = state;
  if (stopped !== null) {
    const { code, message, node } = stopped;
    return { code, message, node_id: outline.nodes[node]?.id ?? null };
  }
  return status === "cancelled"
    ? { code: "CANCELLED", message: nodeErrorGuide("CANCELLED"), node_id: null }
    : null;
}

function expiredCause(nodeId: string): Cause {
  return {
    code: "OUTPUTS_EXPIRED",
    message: nodeErrorGuide("OUTPUTS_EXPIRED"),
    node_id: nodeId,
  };
}

/** The content of an output node's element: its one value, as text or as a file. */
export function outputBody(row: CellRow, type: ViewOutput["type"]): ViewBody | null {
  if (row.status !== "ok") {
    return null;
  }
  const [value] = readOutputs(row.body).values();
  if (value === undefined) {
    return null;
  }
  if (value instanceof FileRef) {
    return { kind: type === "text" ? "stored_text" : "file", file: value };
  }
  if (isSpilled(value)) {
    return { kind: "stored_text", file: value.spilled };
  }
  return {
    kind: "text",
    text: type !== "json" && typeof value === "string" ? value : stringifyJson(value as JsonValue),
  };
}
