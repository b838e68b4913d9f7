/** The embed token behind a request or a run (docs/contract/embeds.md#executions). */
export interface EmbedOrigin {
  readonly kind: "runtime" | "editor";
  /** The `jti` of the token. */
  readonly token: string;
  /** The API key that minted it. */
  readonly key_id: string;
  readonly end_user_id: string | null;
}

/** A runtime token that asks for a run. */
export interface EmbedViewer {
  readonly token: string;
  readonly key_id: string;
  readonly workflow_id: string;
  readonly end_user_id: string | null;
}

/**
 * Whether a runtime token may see what another token made: the same token, or one of the same key, workflow and person.
 * `made` is undefined for what no embed token made.
 */
export function isMadeBy(
  viewer: EmbedViewer,
  made: EmbedOrigin | undefined,
  workflowId: string,
): boolean {
  if (made?.kind !== "runtime" || workflowId !== viewer.workflow_id) {
    return false;
  }
  return (
    made.token === viewer.token ||
    (viewer.end_user_id !== null &&
      made.end_user_id === viewer.end_user_id &&
      made.key_id === viewer.key_id)
  );
}
