import { env } from "cloudflare:workers";
import { type Reply, call, type Caller } from "./api-caller.ts";

/** Uploads one file as a form, as a browser would. */
export function upload(
  caller: Pick<Caller, "token">,
  name: string,
  content: string | Uint8Array,
  field = "file",
): Promise<Reply> {
  const form = new FormData();
  form.append(field, new File([content], name));
  return call("POST", "/api/v1/assets", { token: caller.token, body: form });
}

/** Every key of a workspace in the bucket. */
export async function keysOf(workspaceId: string): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix: `${workspaceId}/` });
  return objects.map(({ key }) => key);
}
