/** The calls of embeds for the examples of the OpenAPI document. */
import type { ExampleRecorder } from "./example-recorder.ts";
import type { RecordedText } from "./recorded-text.ts";

/**
 * Mints both tokens, runs the workflow with one of them, and revokes it. `workflow` takes the input `name`; runs of `long`
 * last until they are cancelled.
 */
export async function embedTour(
  recorder: { readonly call: ExampleRecorder["call"]; readonly text: RecordedText },
  { workflow, long }: { readonly workflow: string; readonly long: string },
): Promise<void> {
  const { call, text } = recorder;
  const origins = ["https://app.example.com"];
  const minted = await call("mintEmbedToken", "POST", "/api/v1/embed/tokens", {
    json: {
      workflow,
      allowed_origins: origins,
      expires_in_minutes: 60,
      max_executions: 20,
      end_user_id: "customer-4711",
    },
  });
  const editor = await call("mintEditorToken", "POST", "/api/v1/embed/editor/tokens", {
    json: { allowed_origins: origins, expires_in_minutes: 60 },
  });
  text.replace(minted.token, "EMBED_TOKEN");
  text.replace(editor.token, "EDITOR_TOKEN");
  const as = { headers: { authorization: `Bearer ${minted.token}` } };
  await call("getEmbedConfig", "GET", "/api/embed/config", as);
  const checked = await call("checkEmbedExecution", "POST", "/api/embed/check-execution", {
    ...as,
    json: {},
  });
  const run = await call("submitEmbedExecution", "POST", "/api/embed/executions", {
    headers: { ...as.headers, prefer: "wait=30" },
    json: { inputs: { name: { value: '"Ada Lovelace"' } }, permit: checked.permit },
  });
  const path = `/api/embed/executions/${run.id}`;
  await call("getEmbedExecution", "GET", path, as);
  await call("getEmbedResult", "GET", `${path}/result`, as);
  const other = await call(null, "POST", "/api/v1/embed/tokens", {
    json: { workflow: long, allowed_origins: origins },
  });
  const asOther = { headers: { authorization: `Bearer ${other.token}` } };
  const running = await call(null, "POST", "/api/embed/executions", { ...asOther, json: {} });
  const cancelled = `/api/embed/executions/${running.id}/cancel`;
  await call("cancelEmbedExecution", "POST", cancelled, asOther);
  text.replace(checked.permit, `prm_${"5".repeat(32)}`);
  await call("revokeEmbedToken", "DELETE", `/api/v1/embed/tokens/${minted.jti}`);
}
