import { createHash } from "node:crypto";
import type { RunFile, RunFileRequest } from "../../../src/contracts/runs/run-object-api.ts";
import { readOutputs } from "../../../src/engine/values/cell-outputs.ts";
import { isSpilled } from "../../../src/engine/values.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { fail, ok, type Result } from "../../../src/lib/result.ts";
import { isOwnFile } from "../../../src/storage/r2/own-file.ts";
import type { LiveRun } from "../live-run.ts";
import type { RunStore } from "../state/run-store.ts";
import { derivedToken } from "../run-host.ts";
import { isSameToken } from "../same-token.ts";

/** The input from which the token of an element's address is derived: unique per element, so that it opens no other. */
export function fileTokenOf(node: number, element: number): string {
  return `file.${node}.${element}`;
}

/** The same for the address of an element's text. */
export function cellTokenOf(node: number, element: number): string {
  return `cell.${node}.${element}`;
}

/** The last segment of a file's key. */
export function keyName({ key }: FileRef): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

/** Returns a file in a row, in a pack or among the files of another run to a caller with the token of its element. `not_found` otherwise. */
export function heldFile(
  { run, seed }: { readonly run: LiveRun; readonly seed: string },
  store: RunStore,
  request: RunFileRequest,
): Result<RunFile> {
  const { node, ord: element, name } = request;
  const { workspace_id: workspaceId, run_id: runId } = run.metadata;
  const isOpen =
    isSameToken(request.token, derivedToken(seed, fileTokenOf(node, element))) &&
    request.workspace_id === workspaceId &&
    run.outline.outputs.some((output) => output.node === node);
  const [row] = isOpen ? store.wholeCellsAt(node, [element]) : [];
  const [value] = row?.status === "ok" ? readOutputs(row.body).values() : [];
  const file = value !== undefined && isSpilled(value) ? value.spilled : value;
  // An element that was taken over keeps the files of the run that made them.
  const isReachable =
    file instanceof FileRef &&
    isOwnFile(file, `${workspaceId}/runs/${row?.reused === undefined ? `${runId}/` : ""}`);
  if (!(file instanceof FileRef) || !isReachable || keyName(file) !== name) {
    return fail("not_found", "This file does not exist.");
  }
  const at = file.content?.bytes ?? file.pack ?? { key: file.key, offset: 0 };
  const { contentType: content_type, sizeBytes: size_bytes } = file;
  const sha256 = file.sha256 ?? digestOf(at instanceof Uint8Array ? at : JSON.stringify(at));
  return ok({ name: file.name, content_type, size_bytes, sha256, at });
}

/**
 * The tag of content without a digest; for a position in a pack, whose bytes never change, derived from the position.
 */
function digestOf(given: Uint8Array | string): string {
  return createHash("sha256").update(given).digest("hex");
}
