import type { FileRef } from "../../lib/files/file-ref.ts";

/**
 * Throws if a key does not belong to the workspace: every key of a tenant starts with its id. A violation
 * is a defect, so it is not a NodeError and no caller sees it.
 */
export function assertWorkspaceKey(workspaceId: string, key: string): void {
  if (workspaceId === "" || !key.startsWith(`${workspaceId}/`)) {
    throw new Error(`A task of ${workspaceId} reached for a key of another owner.`);
  }
}

/** The same for a file's key and the key of its pack. */
export function assertWorkspaceFile(
  workspaceId: string,
  { key, pack }: Pick<FileRef, "key" | "pack">,
): void {
  assertWorkspaceKey(workspaceId, key);
  if (pack !== undefined) {
    assertWorkspaceKey(workspaceId, pack.key);
  }
}
