import type { RunCellRequest, RunCellText } from "../../src/contracts/run-object-api.ts";
import { fail, ok, type Result } from "../../src/lib/result.ts";
import type { LiveRun } from "./live-run.ts";
import type { RunStore } from "./run-store.ts";
import { outputBody } from "./run-view-input.ts";
import { derivedToken } from "./run-host.ts";

/** A body kept in a row, for whoever holds the run's token. `not_found` for all else. */
export function cellText(
  { run, seed }: { readonly run: LiveRun; readonly seed: string },
  store: RunStore,
  request: RunCellRequest,
): Result<RunCellText> {
  const output = run.outline.outputs.find((candidate) => candidate.node === request.node);
  const [row] = store.cellsAt(request.node, [request.ord]);
  const body = output === undefined || row === undefined ? null : outputBody(row, output.type);
  if (!isSameToken(request.token, derivedToken(seed, "cells")) || body?.kind !== "text") {
    return fail("not_found", "There is no such output.");
  }
  return ok({
    text: body.text,
    content_type: output?.type === "json" ? "application/json" : "text/plain; charset=utf-8",
  });
}

function isSameToken(given: string, expected: string): boolean {
  const encoder = new TextEncoder();
  const [a, b] = [encoder.encode(given), encoder.encode(expected)];
  return a.byteLength === b.byteLength && crypto.subtle.timingSafeEqual(a, b);
}
