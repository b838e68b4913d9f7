/** A second Worker that runs tasks: the same class of executor objects with other tools. */
import { ExecutorObject as Executor } from "../../../durable-objects/executor/executor-object.ts";
import type { ExecutorParts } from "../../../durable-objects/executor/executor-parts.ts";
import { createNodeContext, type ToolMakers } from "../../../src/workers/shared/node-context.ts";
import { PAGE_NODE, type PageTools } from "./page-node.ts";

const pages: PageTools = { draw: (text) => `${text}, drawn by the renderer` };

export class ExecutorObject extends Executor {
  protected override readonly parts: ExecutorParts = {
    worker: "renderer",
    isEnvUsable: (env) => env.BOOT_ID !== "",
    findNode: (type) => (type === PAGE_NODE.type ? PAGE_NODE : undefined),
    ...createNodeContext({ pages: () => pages } as unknown as ToolMakers),
  };
}

export default {
  fetch: () => new Response("The renderer has no public routes.\n", { status: 404 }),
} satisfies ExportedHandler;
