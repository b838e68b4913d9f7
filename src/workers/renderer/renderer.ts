import { ExecutorObject as Executor } from "../../../durable-objects/executor/executor-object.ts";
import type { ExecutorParts } from "../../../durable-objects/executor/executor-parts.ts";
import { RENDERER_NODES } from "../../nodes/renderer-nodes.ts";
import type { RendererEnv } from "../../platform/env.ts";
import { isRendererEnvUsable } from "../../platform/check-env.ts";
import { createDocumentTools } from "./document-tools.ts";
import { createTemplateTools } from "./template-tools.ts";
import { createNodeContext } from "../shared/node-context.ts";

const parts: ExecutorParts = {
  worker: "renderer",
  findNode: (type) => RENDERER_NODES.find((node) => node.type === type),
  isEnvUsable: isRendererEnvUsable,
  ...createNodeContext({
    documents: (_env, scope, files) => createDocumentTools(scope, files()),
    templates: (env, scope, files) => createTemplateTools(env as RendererEnv, scope, files()),
  }),
};

export { Renderer } from "./render-entry.ts";

export class ExecutorObject extends Executor {
  protected override readonly parts = parts;
}

export default {
  fetch: () => new Response("The renderer has no public routes.\n", { status: 404 }),
} satisfies ExportedHandler;
