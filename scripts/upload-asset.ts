import { randomUUID } from "node:crypto";
import { type ApiClient, ApiError } from "./api-client.ts";
import { isClosedConnection, sendAgain } from "./send-again.ts";

/** Uploads one file as a form (docs/contract/assets.md#files); returns the path that an input takes as `asset_path`. */
export async function uploadAsset(
  client: ApiClient,
  name: string,
  content: string | Uint8Array,
): Promise<string> {
  const path = "/api/v1/assets";
  const body = new FormData();
  body.append(
    "file",
    new File([typeof content === "string" ? content : new Uint8Array(content)], name),
  );
  const headers = {
    authorization: `Bearer ${await client.token()}`,
    // The service recognizes the file if it is sent again on another connection.
    "idempotency-key": randomUUID(),
  };
  const response = await sendAgain(
    () => fetch(new URL(path, client.baseUrl), { method: "POST", headers, body }),
    isClosedConnection,
  );
  const text = await response.text();
  if (!response.ok) {
    throw new ApiError("POST", path, response.status, text);
  }
  return (JSON.parse(text) as { path: string }).path;
}
