import { expect, it } from "vitest";
import { ASSET_BYTES_MAX } from "../../../src/contracts/files/asset.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";
import { testInProof } from "../../support/in-proof.ts";

const IMPORTS_A_MINUTE = 60;
const PIECE = new Uint8Array(1024 * 1024).fill(0x61);

/** A form with one text file of this many bytes, made as it is read. */
function formOf(sizeBytes: number): ReadableStream<Uint8Array> {
  const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="large.txt"\r\n\r\n';
  let left = sizeBytes;
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(head));
    },
    pull: (controller) => {
      if (left === 0) {
        controller.enqueue(new TextEncoder().encode("\r\n--b--\r\n"));
        controller.close();
        return;
      }
      const piece = PIECE.subarray(0, Math.min(left, PIECE.byteLength));
      left -= piece.byteLength;
      controller.enqueue(piece.slice());
    },
  });
}

// `refusals-leave-nothing.test.ts` shows the same of a file whose last byte is too much.
testInProof("rejects a file of more than 250 MB, and keeps nothing of it", async () => {
  const own = await newCaller();
  const { status, json } = await call("POST", "/api/v1/assets", {
    token: own.token,
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: formOf(ASSET_BYTES_MAX + 1),
  });
  expect([status, json.code]).toEqual([413, "file_too_large"]);
  expect(await keysOf(own.workspaceId)).toEqual([]);
  const quota = await call("GET", "/api/v1/storage/quota", own);
  expect(quota.json.current_bytes).toBe(0);
});

it("rejects malformed imports, and those above the rate limit", async () => {
  const { token } = await newCaller();
  const importOf = (json: object) => call("POST", "/api/v1/assets/import", { token, json });
  const named = await importOf({ url: "https://example.com/a.png", file_name: 5 });
  expect([named.status, named.json.code]).toEqual([400, "validation_error"]);
  for (let i = 0; i < IMPORTS_A_MINUTE; i++) {
    const refused = await importOf({ url: "http://example.com/a.png" });
    expect([refused.status, refused.json.code]).toEqual([400, "invalid_url"]);
  }
  const limited = await importOf({ url: "http://example.com/a.png" });
  expect([limited.status, limited.json.code]).toEqual([429, "rate_limited"]);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
});
