/** Refusals of upload sessions, by the state of the session (docs/contract/assets.md#upload-sessions, docs/contract/problems.md#codes). */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call, newCaller, operator, ORIGIN } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";

const UPLOADS = "/api/v1/assets/uploads";
const MULTIPART = { file_name: "a.txt", size_bytes: 5, upload_mode: "multipart" };
const PARTS = {
  parts: [{ part_number: 1, size_bytes: 5, checksum_base64: "AAAAAAAAAAAAAAAAAAAAAA==" }],
};
const NOBODYS = `upl_0190f3aa000070008000000000000001`;

const caller = await newCaller();
const { token } = caller;
const post = (path: string, json?: unknown) => call("POST", `${UPLOADS}${path}`, { token, json });
const object = (id: string) => env.UPLOAD.get(env.UPLOAD.idFromName(id));

/** Moves the deadline and wakes the object again, so that it reads its row. */
async function endIn(id: string, ms: number): Promise<void> {
  await runInDurableObject(object(id), (_instance, state) => {
    const [row] = state.storage.sql
      .exec<{ session: string }>("SELECT session FROM session")
      .toArray();
    const session = JSON.parse(row?.session ?? "{}");
    session.facts.finalize_expires_at_ms = Date.now() + ms;
    state.storage.sql.exec("UPDATE session SET session = ?", JSON.stringify(session));
  });
  await runInDurableObject(object(id), (_instance, state) => {
    state.abort("wake again");
  }).catch(() => undefined);
}

test("an expired multipart session returns 410 for everything, and accepts no completion a minute before", async () => {
  const { upload_id: id } = (await post("", MULTIPART)).json;
  await endIn(id, 30_000);
  const closing = await post(`/${id}:complete`);
  expect([closing.status, closing.json.code]).toEqual([409, "window_closing"]);
  await endIn(id, -1);
  for (const [path, json] of [
    [`/${id}/parts:sign`, PARTS],
    [`/${id}:complete`, undefined],
    [`/${id}:abort`, undefined],
  ] as const) {
    const response = await post(path, json);
    expect([response.status, response.json.code], path).toEqual([410, "upload_expired"]);
  }
});

test("parts are not signed for a missing session, or a completed one", async () => {
  const none = await post(`/${NOBODYS}/parts:sign`, PARTS);
  expect([none.status, none.json.code]).toEqual([404, "not_found"]);
  const { upload_id: id } = (await post("", MULTIPART)).json;
  const content = new TextEncoder().encode("words");
  const md5 = new Uint8Array(await crypto.subtle.digest("MD5", content));
  const checksum = btoa(String.fromCharCode(...md5));
  const signed = await post(`/${id}/parts:sign`, {
    parts: [{ part_number: 1, size_bytes: 5, checksum_base64: checksum }],
  });
  const [grant] = signed.json.parts;
  const put = await call("PUT", String(grant.upload_url).slice(ORIGIN.length), {
    body: content,
    headers: grant.required_headers,
  });
  expect(put.status).toBe(200);
  expect((await post(`/${id}:complete`)).status).toBe(202);
  const late = await post(`/${id}/parts:sign`, PARTS);
  expect([late.status, late.json.code]).toEqual([409, "conflict"]);
});

test("bytes that are uploaded again after their validation are refused, and may be finalized again", async () => {
  const own = await newCaller();
  const { json } = await call("POST", UPLOADS, {
    token: own.token,
    json: { file_name: "a.txt", size_bytes: 3 },
  });
  await call("PUT", String(json.upload_url).slice(ORIGIN.length), {
    body: "one",
    headers: json.required_headers,
  });
  const [key = ""] = await keysOf(own.workspaceId);
  await env.FILES.put(key, "two");
  const finalized = await call("POST", `${UPLOADS}/${json.upload_id}/finalize`, own);
  expect([finalized.status, finalized.json.code]).toEqual([412, "precondition_failed"]);
  await call("PUT", String(json.upload_url).slice(ORIGIN.length), {
    body: "six",
    headers: json.required_headers,
  });
  const again = await call("POST", `${UPLOADS}/${json.upload_id}/finalize`, own);
  expect([again.status, again.json.status]).toEqual([200, "finalized"]);
});

test("a file of another size in a store with direct uploads is refused", async () => {
  const direct = {
    S3_ENDPOINT: "https://store.example",
    S3_BUCKET: "files",
    S3_ACCESS_KEY_ID: "a key id",
    S3_SECRET_ACCESS_KEY: "a secret of the store",
  };
  const { json } = await call("POST", UPLOADS, {
    token,
    json: { file_name: "a.txt", size_bytes: 3 },
    env: direct,
  });
  const address = new URL(json.upload_url);
  expect(address.origin).toBe(direct.S3_ENDPOINT);
  const finalize = () =>
    call("POST", `${UPLOADS}/${json.upload_id}/finalize`, { token, env: direct });
  expect((await finalize()).json.code).toBe("file_not_uploaded");
  // The store is this bucket under another address.
  const key = decodeURIComponent(address.pathname.slice("/files/".length));
  await env.FILES.put(key, "four");
  const larger = await finalize();
  expect([larger.status, larger.json.code]).toEqual([400, "invalid_size"]);
  await env.FILES.put(key, "six");
  expect((await finalize()).json.status).toBe("finalized");
});

test("a part that is too short or too long is reported", async () => {
  const { token } = await newCaller();
  const { json } = await call("POST", UPLOADS, { token, json: { ...MULTIPART, size_bytes: 5 } });
  const parts = [{ part_number: 1, size_bytes: 5, checksum_base64: "XUFAKrxLKna5cZ2REBfFkg==" }];
  const path = `${UPLOADS}/${json.upload_id}/parts:sign`;
  const [grant] = (await call("POST", path, { token, json: { parts } })).json.parts;
  const put = (body: string) =>
    call("PUT", String(grant.upload_url).slice(ORIGIN.length), {
      body,
      headers: grant.required_headers,
    });
  const short = await put("four");
  expect([short.status, short.json.code]).toEqual([400, "invalid_size"]);
  expect(short.json.detail).toMatch(/of part 1\. Send the whole part again/);
  const long = await put("longer");
  expect([long.status, long.json.code]).toEqual([413, "file_too_large"]);
  expect(long.json.detail).toMatch(/more than the 5 bytes of part 1/);
});

test("a session above the workspace's quota is refused", async () => {
  await operator("PUT", "/admin/v1/plans/four-bytes", { limits: { max_storage_bytes: 4 } });
  const own = await newCaller();
  await operator("PUT", `/admin/v1/workspaces/${own.workspaceId}/plan`, { plan: "four-bytes" });
  const { status, json } = await call("POST", UPLOADS, { token: own.token, json: MULTIPART });
  expect([status, json.code]).toEqual([402, "quota_exceeded"]);
});
