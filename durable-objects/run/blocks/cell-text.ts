import type { RunCellRequest, RunCellText } from "../../../src/contracts/runs/run-object-api.ts";
import { fail, ok, type Result } from "../../../src/lib/result.ts";
import { cellTokenOf } from "../tasks/held-file.ts";
import type { LiveRun } from "../live-run.ts";
import { derivedToken } from "../run-host.ts";
import type { RunStore } from "../state/run-store.ts";
import { outputBody } from "../views/run-view-input.ts";
import { isSameToken } from "../same-token.ts";

/** Addresses of earlier releases have one token for all texts of their run. They work until they expire. */
const TOKEN_OF_ALL_CELLS = "cells";

/** Returns a body that is kept in a row to a caller with the token of its element. `not_found` otherwise. */
export function cellText(
  { run, seed }: { readonly run: LiveRun; readonly seed: string },
  store: RunStore,
  request: RunCellRequest,
): Result<RunCellText> {
  const { node, ord: element, token } = request;
  const isOpen = [cellTokenOf(node, element), TOKEN_OF_ALL_CELLS].some((of) =>
    isSameToken(token, derivedToken(seed, of)),
  );
  const output = run.outline.outputs.find((candidate) => candidate.node === node);
  const [row] = isOpen && output !== undefined ? store.cellsAt(node, [element]) : [];
  const body = output === undefined || row === undefined ? null : outputBody(row, output.type);
  if (body?.kind !== "text") {
    return fail("not_found", "This output does not exist.");
  }
  return ok({
    text: body.text,
    content_type: output?.type === "json" ? "application/json" : "text/plain; charset=utf-8",
  });
}
