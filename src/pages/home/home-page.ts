import type { Page } from "../../platform/page.ts";
import { readBuiltJson } from "../../platform/read-built-json.ts";
import { sitePage } from "../site/site-page.ts";

/** `/`: the home page, with links to all documentation. */
export const homePage: Page = {
  path: "/",
  operationId: "homePage",
  respond: async ({ env }) =>
    sitePage({
      title: "Edgeloom",
      description: "A workflow execution service: typed media graphs, run over HTTP.",
      body: await readBuiltJson<string>(env, "home-body.json"),
    }),
};
