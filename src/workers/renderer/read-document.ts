import type { RenderedTemplate } from "../../contracts/templates/renderer.ts";
import type { RendererEnv } from "../../platform/env.ts";
import { assertWorkspaceKey } from "../../storage/r2/assert-workspace-key.ts";

/** The JSON of a request's document; undefined if its file is gone. */
export async function readDocument(
  { FILES }: Pick<RendererEnv, "FILES">,
  workspaceId: string,
  { document }: RenderedTemplate,
): Promise<string | undefined> {
  if ("text" in document) {
    return document.text;
  }
  assertWorkspaceKey(workspaceId, document.key);
  const object = await FILES.get(document.key);
  return await object?.text();
}
