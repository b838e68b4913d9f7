import type { RunStatus } from "../../../../src/contracts/runs/run.ts";
import { isTerminal } from "../../../../src/contracts/runs/run.ts";
import type {
  GroupMetadata,
  ViewBody,
  ViewCell,
  ViewInput,
  ViewOutput,
} from "../../../../src/engine/view/view-input.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";

export interface ArrayGroup {
  readonly key: string;
  readonly type?: ViewOutput["type"];
  readonly cardinality?: ViewOutput["cardinality"];
  readonly cells: readonly Partial<ViewCell>[];
  readonly isSettled?: boolean;
  readonly isAxisAbsent?: boolean;
}

/** The failure on which every element without a value depends. */
export const CAUSE = { code: "CALC_DIVISION_BY_ZERO", message: "Divides.", node_id: "divide" };

export function text(value: string): Partial<ViewCell> {
  return { state: "ok", body: { kind: "text", text: value } };
}

export function stored(sizeBytes: number, name = "body.txt"): ViewBody {
  return {
    kind: "stored_text",
    file: new FileRef({ key: `k/${name}`, name, contentType: "text/plain", sizeBytes }),
  };
}

/** A view over arrays; `stored` bodies are read as `texts.get(name)`, null if there is none. */
export function arrayView(
  groups: readonly ArrayGroup[],
  more: {
    readonly status?: RunStatus;
    readonly creditsUsedMilli?: number | null;
    readonly errorCode?: string | null;
    readonly only?: readonly string[];
    readonly warnings?: ViewInput["warnings"];
    readonly texts?: ReadonlyMap<string, string>;
    readonly onRead?: (name: string) => void;
  } = {},
): ViewInput & { readonly cellsRead: { count: number } } {
  const status = more.status ?? "completed";
  const outputs = groups.map((group, node): ViewOutput => {
    const { key, type = "text", cardinality = "single" } = group;
    return { node, nodeId: `n_${key}`, key, type, label: key, cardinality, required: true };
  });
  const cellsOf = groups.map((group) =>
    group.cells.map((cell, element): ViewCell => ({
      element,
      indices: [],
      state: "ok",
      body: null,
      ...cell,
    })),
  );
  const cellsRead = { count: 0 };
  return {
    cellsRead,
    run: {
      runId: "run_0123456789abcdef0123456789abcdef",
      workflowId: "wf_0123456789abcdef0123456789abcdef",
      status,
      isTerminal: isTerminal(status),
      creditsUsedMilli: more.creditsUsedMilli ?? null,
      errorCode: more.errorCode ?? null,
      errorMessage: null,
    },
    outputs,
    onlyNodeIds: more.only === undefined ? null : new Set(more.only),
    warnings: more.warnings ?? [],
    metadata(output): GroupMetadata {
      const group = groups[output.node]!;
      const count = (...states: ViewCell["state"][]) =>
        cellsOf[output.node]!.filter((cell) => states.includes(cell.state)).length;
      return {
        isSettled: group.isSettled ?? true,
        isAxisAbsent: group.isAxisAbsent ?? false,
        ok: count("ok"),
        failed: count("failed", "blocked"),
        absent: count("absent"),
        pending: count("pending"),
      };
    },
    cells(output, fromIndex, limit) {
      const page = cellsOf[output.node]!.filter((cell) => cell.element >= fromIndex).slice(
        0,
        limit,
      );
      cellsRead.count += page.length;
      return page;
    },
    cause: () => CAUSE,
    // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
    async readText(file) {
      more.onRead?.(file.name);
      return more.texts?.get(file.name) ?? null;
    },
    fileUrl: (_output, _cell, file) => `https://files.test/${file.key}`,
    cellUrl: (output, cell) =>
      `https://files.test/cell/${String(output.node)}/${String(cell.element)}`,
  };
}

export async function join(pieces: AsyncIterable<string>): Promise<string> {
  let whole = "";
  for await (const piece of pieces) {
    whole += piece;
  }
  return whole;
}
