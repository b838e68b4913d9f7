/** Every session ends, whatever happens to its bytes in the store (docs/contract/assets.md#upload-sessions). */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call, type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";

const UPLOADS = "/api/v1/assets/uploads";
const SINGLE = { file_name: "a.txt", size_bytes: 5 };

const post = (own: Caller, path: string, json?: unknown) =>
  call("POST", `${UPLOADS}${path}`, { token: own.token, json });
const read = async (own: Caller, id: string) =>
  (await call("GET", `${UPLOADS}/${id}`, { token: own.token })).json;
const held = async (own: Caller): Promise<number> =>
  (await call("GET", "/api/v1/storage/quota", { token: own.token })).json.current_bytes;
const object = (id: string) => env.UPLOAD.get(env.UPLOAD.idFromName(id));

interface KeptRow {
  state: string;
  assemble_failures?: number;
  readonly facts: { readonly key: string; r2_upload_id: string };
}

/** Changes the stored session; the object wakes again so that it reads its row. */
async function changeKept(id: string, change: (kept: KeptRow) => void): Promise<void> {
  await runInDurableObject(object(id), (_instance, state) => {
    const kept = readKept(state);
    change(kept);
    state.storage.sql.exec("UPDATE session SET session = ?", JSON.stringify(kept));
  });
  await runInDurableObject(object(id), (_instance, state) => {
    state.abort("wake again");
  }).catch(() => undefined);
}

function readKept(state: DurableObjectState): KeptRow {
  const { session } = state.storage.sql
    .exec<{ session: string }>("SELECT session FROM session")
    .one();
  return JSON.parse(session) as KeptRow;
}

const keptOf = (id: string): Promise<KeptRow> =>
  runInDurableObject(object(id), (_instance, state) => readKept(state));

/** A session of one part, which was uploaded. */
async function putWords(own: Caller) {
  const { upload_id: id } = (await post(own, "", { ...SINGLE, upload_mode: "multipart" })).json;
  const md5 = new Uint8Array(await crypto.subtle.digest("MD5", new TextEncoder().encode("words")));
  const checksum_base64 = btoa(String.fromCharCode(...md5));
  const parts = [{ part_number: 1, size_bytes: 5, checksum_base64 }];
  const [grant] = (await post(own, `/${id}/parts:sign`, { parts })).json.parts;
  const put = (body: string) =>
    call("PUT", String(grant.upload_url).slice(ORIGIN.length), {
      body,
      headers: grant.required_headers,
    });
  expect((await put("words")).status).toBe(200);
  return { id: String(id), put };
}

test("a part that was overwritten is no longer confirmed, and counts once it is uploaded again", async () => {
  const own = await newCaller();
  const { id, put } = await putWords(own);
  const other = await put("other");
  expect([other.status, other.json.code]).toEqual([400, "content_mismatch"]);
  expect((await read(own, id)).parts[0].confirmed).toBe(false);
  const early = await post(own, `/${id}:complete`);
  expect([early.status, early.json.code]).toEqual([409, "file_not_uploaded"]);
  expect((await put("words")).status).toBe(200);
  expect((await post(own, `/${id}:complete`)).status).toBe(202);
  await expect.poll(async () => (await read(own, id)).status).toBe("finalized");
});

test.each([
  [
    "whose part was replaced in the store",
    (upload: R2MultipartUpload) => upload.uploadPart(1, "other"),
  ],
  ["whose upload the store gave up", (upload: R2MultipartUpload) => upload.abort()],
])("a session %s fails, releases its bytes and can be aborted", async (_name, spoil) => {
  const own = await newCaller();
  const { id } = await putWords(own);
  const { facts: metadata } = await keptOf(id);
  await spoil(env.FILES.resumeMultipartUpload(metadata.key, metadata.r2_upload_id));
  expect((await post(own, `/${id}:complete`)).status).toBe(202);
  await expect.poll(async () => (await read(own, id)).status).toBe("failed");
  expect(await read(own, id)).toMatchObject({ error_code: "content_mismatch" });
  expect([await held(own), await keysOf(own.workspaceId)]).toEqual([0, []]);
  expect((await post(own, `/${id}:abort`)).status).toBe(204);
});

test("a transient failure of the store is retried, and ends the session only after an hour", async () => {
  const own = await newCaller();
  const { id } = await putWords(own);
  // The local store returns an internal error for an id that it has not issued.
  await changeKept(id, (kept) => {
    kept.facts.r2_upload_id = "nobody's";
  });
  expect((await post(own, `/${id}:complete`)).status).toBe(202);
  await expect.poll(async () => (await keptOf(id)).assemble_failures ?? 0).toBeGreaterThan(0);
  expect((await read(own, id)).status).toBe("in_progress");
  await changeKept(id, (kept) => {
    kept.assemble_failures = 239;
  });
  await runDurableObjectAlarm(object(id));
  expect((await read(own, id)).status).toBe("failed");
  expect(await held(own)).toBe(0);
});

test("a finalize that was interrupted before it read the bytes leaves the session open", async () => {
  const own = await newCaller();
  const { json: session } = await post(own, "", SINGLE);
  const id = String(session.upload_id);
  await changeKept(id, (kept) => {
    kept.state = "finalizing";
  });
  await runDurableObjectAlarm(object(id));
  expect((await read(own, id)).status).toBe("pending");
  const put = await call("PUT", String(session.upload_url).slice(ORIGIN.length), {
    body: "words",
    headers: session.required_headers,
  });
  expect(put.status).toBe(200);
  expect((await post(own, `/${id}/finalize`)).json.status).toBe("finalized");
});
