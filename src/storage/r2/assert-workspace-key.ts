import type { FileRef } from "../../lib/file-ref.ts";

/**
 * Throws when a key is not one of the workspace's own: every key of a tenant starts with its id
 * (ARCHITECTURE.md). Reaching this is a defect, so it is no NodeError and says nothing outside.
 */
export function assertWorkspaceKey(workspaceId: string, key: string): void {
  if (workspaceId === "" || !key.startsWith(`${workspaceId}/`)) {
    throw new Error(`A task of ${workspaceId} reached for a key of another owner.`);
  }
}

/** The same for a file's key and that of its pack. */
export function assertWorkspaceFile(
  workspaceId: string,
  { key, pack }: Pick<FileRef, "key" | "pack">,
): void {
  assertWorkspaceKey(workspaceId, key);
  if (pack !== undefined) {
    assertWorkspaceKey(workspaceId, pack.key);
  }
}
