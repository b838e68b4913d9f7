/** `/embed/{workflow}`, `/embed/{workflow}/{interface}` and `/embed/editor` (docs/embeds.md#pages). */
import { openEditorPage, openRuntimePage } from "../../domain/embeds/open-page.ts";
import type { AppContext } from "../../platform/context.ts";
import type { Page, PageRequest } from "../../platform/page.ts";
import { embedPage, readEmbedRequest } from "./embed-page.ts";

export const runtimePage: Page = {
  path: "/embed/{workflow}",
  operationId: "embedPage",
  respond: respondRuntime,
};

export const runtimeInterfacePage: Page = {
  path: "/embed/{workflow}/{interface}",
  operationId: "embedInterfacePage",
  respond: respondRuntime,
};

export const editorPage: Page = {
  path: "/embed/editor",
  operationId: "embedEditorPage",
  respond: (ctx, request) => {
    const { token, query } = readEmbedRequest(request.query);
    const { workflow, name } = query;
    return embedPage(ctx, "editor", query, () => openEditorPage(ctx, { token, workflow, name }));
  },
};

function respondRuntime(ctx: AppContext, request: PageRequest): Promise<Response> {
  const { token, query } = readEmbedRequest(request.query);
  const interfaces = [request.params["interface"], query.interface].filter(
    (id): id is string => id !== undefined,
  );
  return embedPage(ctx, "widget", query, () =>
    openRuntimePage(ctx, { token, workflow: request.params["workflow"] ?? "", interfaces }),
  );
}
