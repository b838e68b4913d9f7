import { createApp } from "./api/app.ts";
import { ENDPOINTS } from "./api/routes.ts";
import { PAGES } from "./pages/pages.ts";
import type { Env } from "./platform/env.ts";

export { RateLimiterObject } from "../durable-objects/rate-limiter/rate-limiter-object.ts";
export { RunObject } from "../durable-objects/run/run-object.ts";
export { WorkspaceObject } from "../durable-objects/workspace/workspace-object.ts";

const app = createApp(ENDPOINTS, PAGES);

export default { fetch: app.fetch } satisfies ExportedHandler<Env>;
