/** Where the text of a definition is stored: in its D1 row, or in R2 if it is large. */
export type DefinitionText =
  | { readonly text: string; readonly key: null }
  | { readonly text: null; readonly key: string };

/** D1 rows are limited to 1 to 2 MB; half of the smaller figure leaves room for the rest of the row. */
const INLINE_MAX_BYTES = 512 * 1024;

/**
 * Stores a definition's text in the right place. Each call creates its own object, which is never overwritten, so a row
 * that refers to it can be committed later without a race.
 */
export async function storeDefinitionText(
  files: R2Bucket,
  workspaceId: string,
  workflowId: string,
  text: string,
): Promise<DefinitionText> {
  const bytes = new TextEncoder().encode(text);
  if (bytes.byteLength <= INLINE_MAX_BYTES) {
    return { text, key: null };
  }
  const key = `${definitionPrefix(workspaceId, workflowId)}${crypto.randomUUID()}.json`;
  await files.put(key, bytes, { httpMetadata: { contentType: "application/json" } });
  return { text: null, key };
}

/** Returns the text, or undefined if it is gone. */
export async function readDefinitionText(
  files: R2Bucket,
  stored: { readonly definition: string | null; readonly definition_key: string | null },
): Promise<string | undefined> {
  if (stored.definition !== null) {
    return stored.definition;
  }
  if (stored.definition_key === null) {
    return undefined;
  }
  const object = await files.get(stored.definition_key);
  return object === null ? undefined : await object.text();
}

export function definitionPrefix(workspaceId: string, workflowId: string): string {
  return `workspaces/${workspaceId}/workflows/${workflowId}/definitions/`;
}
