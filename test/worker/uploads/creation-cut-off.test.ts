/** A session whose creation was interrupted, or is requested twice at the same time (docs/contract/assets.md#upload-sessions, docs/contract/idempotency.md#replays). */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { SESSION_LIFETIME_MS } from "../../../src/contracts/files/upload.ts";
import { requestFingerprint } from "../../../src/domain/idempotency/request-fingerprint.ts";
import { newId } from "../../../src/platform/ids.ts";
import { UploadSessionStore } from "../../../src/storage/d1/upload-session-store.ts";
import { type Reply, call, type Caller, newCaller } from "../../support/api-caller.ts";
import { HOME_DB } from "../../support/home-database.ts";

const UPLOADS = "/api/v1/assets/uploads";
const KEY = "key-number-one";
const FILE = { file_name: "a.txt", size_bytes: 3 };
const PARTS = { file_name: "a.txt", size_bytes: 20_000_000, upload_mode: "multipart" };

const create = (own: Caller, json: unknown, key?: string): Promise<Reply> =>
  call("POST", UPLOADS, {
    token: own.token,
    json,
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });
const held = async (own: Caller): Promise<number> =>
  (await call("GET", "/api/v1/storage/quota", { token: own.token })).json.current_bytes;
const sessionsOf = async (own: Caller): Promise<unknown[]> =>
  (
    await HOME_DB.prepare("SELECT id FROM upload_sessions WHERE workspace_id = ?")
      .bind(own.workspaceId)
      .all()
  ).results.map(({ id }) => id);
const storeOf = (own: Caller) => new UploadSessionStore(env, own.workspaceId);
const sessionAt = (nowMs: number) => ({
  id: newId("upload", nowMs),
  sizeBytes: FILE.size_bytes,
  maxBytes: null,
  nowMs,
});

test("a creation that was interrupted before its object was created continues under its id when it is repeated", async () => {
  const own = await newCaller();
  const session = sessionAt(Date.now());
  const fingerprint = await requestFingerprint({
    fileName: FILE.file_name,
    sizeBytes: FILE.size_bytes,
    mode: "auto",
  });
  expect(await storeOf(own).takeKey(KEY, fingerprint, session)).toBe("taken");
  const { status, json } = await create(own, FILE, KEY);
  expect([status, json.upload_id, json.status]).toEqual([200, session.id, "pending"]);
  expect([await sessionsOf(own), await held(own)]).toEqual([[session.id], FILE.size_bytes]);
});

test("concurrent calls with one key open one session, also a multipart one", async () => {
  for (const file of [FILE, PARTS]) {
    const own = await newCaller();
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(own, file, KEY)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const ids = new Set(answers.map(({ json }) => json.upload_id));
    expect([[...ids], await held(own)]).toEqual([await sessionsOf(own), file.size_bytes]);
    expect(ids.size).toBe(1);
  }
});

test("an aborted session's key opens a new one", async () => {
  const own = await newCaller();
  const { upload_id: first } = (await create(own, FILE, KEY)).json;
  const aborted = await call("POST", `${UPLOADS}/${first}:abort`, { token: own.token });
  expect(aborted.status).toBe(204);
  const { upload_id: second } = (await create(own, FILE, KEY)).json;
  expect(second).not.toBe(first);
  expect([await sessionsOf(own), await held(own)]).toEqual([[second], FILE.size_bytes]);
});

test("an interrupted creation that is never repeated releases its bytes after the longest life of a session", async () => {
  const own = await newCaller();
  const [lost, open] = [Date.now() - 2 * SESSION_LIFETIME_MS - 1, Date.now()].map(sessionAt);
  expect([await storeOf(own).hold(lost!), await held(own)]).toEqual([true, FILE.size_bytes]);
  expect(await storeOf(own).hold(open!)).toBe(true);
  expect([await sessionsOf(own), await held(own)]).toEqual([[open!.id], FILE.size_bytes]);
});
