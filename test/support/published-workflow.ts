import type { Caller } from "./api-caller.ts";
import { call } from "./api-caller.ts";

/** The smallest workflow: a text in, the same text out. */
export const ECHO_DEFINITION = {
  nodes: [
    { id: "in", type: "input/text", label: "Words", parameters: { required: true } },
    { id: "out", type: "output/text", label: "Said", parameters: {} },
  ],
  connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
};

/** Creates and publishes a workflow over HTTP; returns its id. */
export async function publishedWorkflow(
  caller: Caller,
  definition: unknown = ECHO_DEFINITION,
): Promise<string> {
  const { token } = caller;
  const created = await call("POST", "/api/v1/workflows", {
    token,
    json: { name: "Test", definition },
  });
  const published = await call("POST", `/api/v1/workflows/${created.json.id}/publish`, { token });
  if (published.status !== 200) {
    throw new Error(`publish answered ${String(published.status)}: ${published.text}`);
  }
  return created.json.id;
}
