import { expect } from "vitest";
import type { ApiClient } from "../../../scripts/api-client.ts";
import { postStream } from "./post-stream.ts";

/** Uploads a file that is never in memory as a whole; returns its path. */
export async function uploadStream(
  client: ApiClient,
  name: string,
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<string> {
  async function* form() {
    yield Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`,
    );
    yield* body;
    yield Buffer.from("\r\n--b--\r\n");
  }
  const { status, text } = await postStream(
    new URL("/api/v1/assets", client.baseUrl),
    {
      authorization: `Bearer ${await client.token()}`,
      "content-type": "multipart/form-data; boundary=b",
    },
    form(),
  );
  expect(status, text).toBe(201);
  return (JSON.parse(text) as { path: string }).path;
}
