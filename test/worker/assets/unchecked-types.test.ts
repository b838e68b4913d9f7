/** The runner detects the types of files (docs/decisions/bundle-size.md); without it, no file is accepted unchecked. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { FileTypeRequest } from "../../../src/contracts/files/file-types.ts";
import { SNIFF_BYTES } from "../../../src/formats/sniff-file.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";

const GIF = [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0, 0, 0, 0x2c];

async function upload(detect: (request: FileTypeRequest) => Promise<string | null>) {
  const caller = await newCaller();
  const body = new FormData();
  body.set("file", new File([Uint8Array.from(GIF), new Uint8Array(3 * SNIFF_BYTES)], "a.gif"));
  const response = await call("POST", "/api/v1/assets", {
    token: caller.token,
    body,
    env: { FILE_TYPES: { detect } },
  });
  return { response, keys: await keysOf(caller.workspaceId) };
}

it("refuses a file with a 503 while the runner does not respond, and keeps nothing of it", async () => {
  const { response, keys } = await upload(() => Promise.reject(new Error("the runner is gone")));
  expect([response.status, response.json.code]).toEqual([503, "service_unavailable"]);
  expect(response.headers.get("retry-after")).toBe("5");
  expect(keys).toEqual([]);
});

it("sends the runner the beginning of a file, once", async () => {
  const heads: Uint8Array[] = [];
  const { response, keys } = await upload((request) => {
    heads.push(request.head);
    return env.FILE_TYPES.detect(request);
  });
  expect(response.status).toBe(201);
  expect(keys).toHaveLength(1);
  expect(heads.map(({ byteLength, buffer }) => [byteLength, buffer.byteLength])).toEqual([
    [SNIFF_BYTES, SNIFF_BYTES],
  ]);
});

it("refuses a file by the type that the runner detects", async () => {
  const { response } = await upload(() => Promise.resolve("psd"));
  expect(response.status).toBe(400);
  expect(response.json.detail).toMatch(/The bytes are those of a \.psd file/);
});
