/** The examples of the routes for providers of models and for a workspace's default models. */
import type { ExampleRecorder } from "./example-recorder.ts";

/** Calls each of these routes once. */
export async function providerTour(
  call: ExampleRecorder["call"],
  workspaceId: string,
): Promise<void> {
  const as = "operator" as const;
  const provider = {
    kind: "openai_compatible",
    base_url: "https://models.example.com/v1",
    api_key: "sk-example",
    headers: { "X-Org": "acme" },
    models: [
      {
        model: "my-flux",
        remote_model: "flux.1",
        display_name: "My Flux",
        capabilities: ["text_to_image", "image_edit"],
        cost_unit: "per_image",
        credit_cost_milli_credits: 300,
        sizes: ["1024x1024"],
      },
    ],
  };
  await call("putSystemProvider", "PUT", "/admin/v1/providers/models", { as, json: provider });
  await call("getSystemProvider", "GET", "/admin/v1/providers/models", { as });
  await call("listSystemProviders", "GET", "/admin/v1/providers?limit=1", { as });
  await call("checkSystemProvider", "POST", "/admin/v1/providers/models/check", { as });
  await call("deleteSystemProvider", "DELETE", "/admin/v1/providers/models", { as });
  const own = `/admin/v1/workspaces/${workspaceId}/providers`;
  const replicate = {
    kind: "replicate",
    // No example calls the real one.
    base_url: "https://replicate.example.com/v1",
    api_key: "r8-example",
    max_concurrency: 4,
  };
  await call("putWorkspaceProvider", "PUT", `${own}/replicate`, { as, json: replicate });
  await call("getWorkspaceProvider", "GET", `${own}/replicate`, { as });
  await call("listWorkspaceProviders", "GET", own, { as });
  await call("checkWorkspaceProvider", "POST", `${own}/replicate/check`, { as });
  await call("deleteWorkspaceProvider", "DELETE", `${own}/replicate`, { as });
  const defaults = `/admin/v1/workspaces/${workspaceId}/model-defaults`;
  const json = { model: "sample-text" };
  await call("putModelDefault", "PUT", `${defaults}/text_generation`, { as, json });
  await call("listModelDefaults", "GET", defaults, { as });
  await call("deleteModelDefault", "DELETE", `${defaults}/text_generation`, { as });
}
