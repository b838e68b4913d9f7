/**
 * Throws when a key is not one of the workspace's own: every key of a tenant starts with its id
 * (ARCHITECTURE.md). Reaching this is a defect, so it is no NodeError and says nothing outside.
 */
export function assertWorkspaceKey(workspaceId: string, key: string): void {
  if (workspaceId === "" || !key.startsWith(`${workspaceId}/`)) {
    throw new Error(`A task of ${workspaceId} reached for a key of another owner.`);
  }
}
