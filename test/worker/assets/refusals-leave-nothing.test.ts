/** A refused upload, import or upload session leaves nothing in the bucket: one case for each code that the routes document. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { withCreationAnswers } from "../../../src/api/docs/document-creation.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { ASSET_BYTES_MAX } from "../../../src/contracts/files/asset.ts";
import {
  type Reply,
  call,
  type Caller,
  newCaller,
  newWorkspace,
  operator,
  ORIGIN,
} from "../../support/api-caller.ts";
import { keysOf, upload } from "../../support/asset-form.ts";
import { testInProof } from "../../support/in-proof.ts";

const UPLOADS = "/api/v1/assets/uploads";
const OFF = { PRESIGNED_UPLOADS: "off" };
/** Clients upload to the store directly; here it is this bucket under another address. */
const DIRECT = {
  S3_ENDPOINT: "https://store.example",
  S3_BUCKET: "files",
  S3_ACCESS_KEY_ID: "a key id",
  S3_SECRET_ACCESS_KEY: "a secret of the store",
};
const SINGLE = { file_name: "a.txt", size_bytes: 5 };
const MULTIPART = { ...SINGLE, upload_mode: "multipart" };
const NOBODYS = `upl_0190f3aa000070008000000000000001`;
const PNG_NAME = { file_name: "a.png", size_bytes: 5 };

// oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
type Session = any;

interface Case {
  readonly code: string;
  /** Resources from before the refusal; their files may stay. */
  readonly before?: (own: Caller) => Promise<Session>;
  readonly refuse: (own: Caller, session: Session) => Promise<Reply>;
  /** The refusal ends the session: bytes that were uploaded before are deleted too. */
  readonly ends?: true;
  /** A workspace whose quota is smaller than any file. */
  readonly isFull?: true;
  /** Of many seconds, and in the proof only; `npm test` has the case of the same code in `uploadAsset`. */
  readonly isLong?: true;
}

const post = (own: Caller, path: string, json?: unknown, more: object = {}) =>
  call("POST", `${UPLOADS}${path}`, { token: own.token, json, ...more });
const create = async (own: Caller, json: unknown): Promise<Session> =>
  (await post(own, "", json)).json;
const begin = (json: unknown) => (own: Caller) => create(own, json);

function put(session: Session, body: BodyInit, more: object = {}): Promise<Reply> {
  const url = String(session.upload_url).slice(ORIGIN.length);
  return call("PUT", url, { body, headers: session.required_headers, ...more });
}

const putFive = (json: unknown) => async (own: Caller) => {
  const session = await create(own, json);
  expect((await put(session, "words")).status).toBe(200);
  return session;
};

async function part(own: Caller, id: string, content = "words", more: object = {}): Promise<Reply> {
  const md5 = new Uint8Array(await crypto.subtle.digest("MD5", new TextEncoder().encode(content)));
  const checksum_base64 = btoa(String.fromCharCode(...md5));
  const parts = [{ part_number: 1, size_bytes: 5, checksum_base64 }];
  return await post(own, `/${id}/parts:sign`, { parts }, more);
}

const putPart = async (own: Caller) => {
  const session = await create(own, MULTIPART);
  const [grant] = (await part(own, session.upload_id)).json.parts;
  expect((await put(grant, "words")).status).toBe(200);
  return session;
};

const completed = async (own: Caller) => {
  const session = await putPart(own);
  expect((await post(own, `/${session.upload_id}:complete`)).status).toBe(202);
  return session;
};

const finalized = async (own: Caller) => {
  const session = await putFive(SINGLE)(own);
  expect((await post(own, `/${session.upload_id}/finalize`)).json.status).toBe("finalized");
  return session;
};

const ending =
  (ms: number, make: (own: Caller) => Promise<Session>) =>
  async (own: Caller): Promise<Session> => {
    const session = await make(own);
    const object = env.UPLOAD.get(env.UPLOAD.idFromName(session.upload_id));
    await runInDurableObject(object, (_instance, state) => {
      const [row] = state.storage.sql
        .exec<{ session: string }>("SELECT session FROM session")
        .toArray();
      const kept = JSON.parse(row!.session);
      kept.facts.finalize_expires_at_ms = Date.now() + ms;
      state.storage.sql.exec("UPDATE session SET session = ?", JSON.stringify(kept));
    });
    // An object that wakes reads its row.
    await runInDurableObject(object, (_instance, state) => {
      state.abort("wake again");
    }).catch(() => undefined);
    return session;
  };

/** Refusals that all calls on a session share. */
function ofEverySession(
  send: (own: Caller, id: string, more?: object) => Promise<Reply>,
  kind: object,
): Case[] {
  return [
    { code: "invalid_id", refuse: (own) => send(own, "upl_nonsense") },
    { code: "not_found", refuse: (own) => send(own, NOBODYS) },
    {
      code: "forbidden",
      before: begin(kind),
      refuse: async (_own, { upload_id }) => send(await newCaller(), upload_id),
    },
    {
      code: "upload_expired",
      before: ending(-1, begin(kind)),
      refuse: (own, { upload_id }) => send(own, upload_id),
    },
    {
      code: "feature_disabled",
      before: begin(kind),
      refuse: (own, { upload_id }) => send(own, upload_id, { env: OFF }),
    },
  ];
}

const finalize = (own: Caller, id: string, more?: object) =>
  post(own, `/${id}/finalize`, undefined, more);
const complete = (own: Caller, id: string, more?: object) =>
  post(own, `/${id}:complete`, undefined, more);
const abort = (own: Caller, id: string, more?: object) =>
  post(own, `/${id}:abort`, undefined, more);

const importing = (own: Caller, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
  call("POST", "/api/v1/assets/import", { token: own.token, json, headers });
const WORDS = { url: "https://files.example/a.txt" };
const PICTURE = { url: "https://files.example/a.png" };

/** The response to every request that leaves the service. */
function outside(body: BodyInit, init: ResponseInit = {}): void {
  vi.spyOn(globalThis, "fetch").mockImplementation(() => Promise.resolve(new Response(body, init)));
}

/** A stream of this many bytes, never held whole. */
function bytes(count: number): ReadableStream<Uint8Array> {
  let left = count;
  return new ReadableStream({
    pull(controller) {
      const piece = new Uint8Array(Math.min(left, 1024 * 1024)).fill(0x61);
      left -= piece.byteLength;
      controller.enqueue(piece);
      if (left === 0) {
        controller.close();
      }
    },
  });
}

function joined(
  ...pieces: readonly (string | ReadableStream<Uint8Array>)[]
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const send = async () => {
    for (const piece of pieces) {
      const stream = typeof piece === "string" ? new Blob([piece]).stream() : piece;
      await stream.pipeTo(writable, { preventClose: true });
    }
    await writable.close();
  };
  // A refused body is cancelled before its end.
  send().catch(() => undefined);
  return readable;
}

/** A form whose file may be a stream; cut off if `end` is empty. */
function sendForm(
  own: Caller,
  file: string | ReadableStream<Uint8Array>,
  end: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
  return call("POST", "/api/v1/assets", {
    token: own.token,
    body: joined(start, file, end),
    headers: { "content-type": "multipart/form-data; boundary=b", ...headers },
  });
}

const END = "\r\n--b--\r\n";
const KEYED = { "idempotency-key": "a key of this test" };

/** Deletes the resource that a request with a key created, before the request is repeated. */
async function deleteCreated(own: Caller, { status, json }: Reply): Promise<void> {
  expect(status).toBe(201);
  const path = `/api/v1/assets?path=${encodeURIComponent(json.path)}`;
  expect((await call("DELETE", path, { token: own.token })).status).toBe(204);
}

const CASES: Readonly<Record<string, readonly Case[]>> = {
  uploadAsset: [
    { code: "invalid_request", refuse: (own) => sendForm(own, bytes(9_000_000), "") },
    { code: "invalid_file", refuse: (own) => upload(own, "a.txt", "") },
    { code: "invalid_file_type", refuse: (own) => upload(own, "a.exe", "MZ") },
    {
      code: "invalid_content",
      refuse: (own) => upload(own, "a.csv", `a,b\u0000\n${"1,2\n".repeat(3_000_000)}`),
    },
    { code: "quota_exceeded", isFull: true, refuse: (own) => upload(own, "a.txt", "words") },
    {
      code: "file_too_large",
      refuse: (own) => sendForm(own, bytes(ASSET_BYTES_MAX + 1), "\r\n--b--\r\n"),
    },
    {
      code: "unsupported_media_type",
      refuse: (own) => call("POST", "/api/v1/assets", { token: own.token, json: {} }),
    },
    {
      code: "invalid_idempotency_key",
      refuse: (own) => sendForm(own, "words", END, { "idempotency-key": "short" }),
    },
    {
      code: "idempotency_conflict",
      before: (own) => sendForm(own, "words", END, KEYED),
      refuse: (own) => sendForm(own, bytes(9_000_000), END, KEYED),
    },
    {
      code: "not_found",
      before: async (own) => deleteCreated(own, await sendForm(own, "words", END, KEYED)),
      refuse: (own) => sendForm(own, "words", END, KEYED),
    },
  ],
  importAsset: [
    {
      code: "invalid_idempotency_key",
      refuse: (own) => importing(own, PICTURE, { "idempotency-key": "short" }),
    },
    {
      code: "idempotency_conflict",
      before: async (own) => {
        outside("words");
        const url = "https://files.example/a.txt";
        expect((await importing(own, { url }, KEYED)).status).toBe(201);
      },
      refuse: (own) => importing(own, { url: "https://files.example/b.txt" }, KEYED),
    },
    {
      code: "not_found",
      before: async (own) => {
        outside("words");
        await deleteCreated(own, await importing(own, WORDS, KEYED));
      },
      refuse: (own) => importing(own, WORDS, KEYED),
    },
    { code: "invalid_request", refuse: (own) => importing(own, {}) },
    { code: "invalid_url", refuse: (own) => importing(own, { url: "http://files.example/a.png" }) },
    {
      code: "unsupported_type",
      refuse: (own) => importing(own, { ...PICTURE, file_name: "a.exe" }),
    },
    {
      code: "content_mismatch",
      refuse: (own) => {
        outside("<html>no picture</html>");
        return importing(own, PICTURE);
      },
    },
    {
      code: "invalid_file",
      refuse: (own) => {
        outside("");
        return importing(own, PICTURE);
      },
    },
    {
      code: "quota_exceeded",
      isFull: true,
      refuse: (own) => {
        outside("words");
        return importing(own, { url: "https://files.example/a.txt" });
      },
    },
    {
      code: "file_too_large",
      isLong: true,
      refuse: (own) => {
        outside(bytes(ASSET_BYTES_MAX + 1));
        return importing(own, { url: "https://files.example/a.txt" });
      },
    },
    {
      code: "fetch_failed",
      refuse: (own) => {
        outside("gone", { status: 404 });
        return importing(own, PICTURE);
      },
    },
    {
      code: "rate_limited",
      before: async (own) => {
        // A refused request counts like any other.
        for (let at = 0; at < 60; at++) {
          expect((await importing(own, { url: "ftp://files.example/a.png" })).status).toBe(400);
        }
      },
      refuse: (own) => importing(own, PICTURE),
    },
  ],
  createUpload: [
    { code: "invalid_request", refuse: (own) => post(own, "", { size_bytes: 5 }) },
    {
      code: "invalid_file_type",
      refuse: (own) => post(own, "", { ...SINGLE, file_name: "a.exe" }),
    },
    {
      code: "invalid_size",
      refuse: (own) => post(own, "", { ...SINGLE, size_bytes: ASSET_BYTES_MAX + 1 }),
    },
    {
      code: "invalid_idempotency_key",
      refuse: (own) => post(own, "", SINGLE, { headers: { "idempotency-key": "short" } }),
    },
    {
      code: "idempotency_conflict",
      before: (own) => post(own, "", SINGLE, { headers: { "idempotency-key": "the same key" } }),
      refuse: (own) => post(own, "", PNG_NAME, { headers: { "idempotency-key": "the same key" } }),
    },
    { code: "quota_exceeded", isFull: true, refuse: (own) => post(own, "", SINGLE) },
    {
      code: "rate_limited",
      before: async (own) => {
        for (let at = 0; at < 60; at++) {
          expect((await post(own, "", SINGLE)).status).toBe(200);
        }
      },
      refuse: (own) => post(own, "", SINGLE),
    },
    { code: "feature_disabled", refuse: (own) => post(own, "", SINGLE, { env: OFF }) },
  ],
  putUploadBytes: [
    {
      code: "forbidden",
      before: begin(SINGLE),
      refuse: (_own, session) =>
        put(
          {
            ...session,
            upload_url: session.upload_url.replace(/signature=.{6}/, "signature=AAAAAA"),
          },
          "words",
        ),
    },
    {
      code: "not_found",
      before: async (own) => {
        const session = await create(own, SINGLE);
        expect((await abort(own, session.upload_id)).status).toBe(204);
        return session;
      },
      refuse: (_own, session) => put(session, "words"),
    },
    { code: "conflict", before: finalized, refuse: (_own, session) => put(session, "again") },
    {
      code: "upload_expired",
      before: ending(-1, begin(SINGLE)),
      refuse: (_own, session) => put(session, "words"),
    },
    {
      code: "file_too_large",
      before: begin(SINGLE),
      refuse: (_own, session) => put(session, bytes(9_000_000)),
    },
    {
      code: "invalid_size",
      before: begin(SINGLE),
      refuse: (_own, session) => put(session, "word"),
    },
    {
      code: "content_mismatch",
      before: begin(MULTIPART),
      refuse: async (own, { upload_id }) => {
        const [grant] = (await part(own, upload_id, "other")).json.parts;
        return await put(grant, "words");
      },
    },
    {
      code: "feature_disabled",
      before: begin(SINGLE),
      refuse: (_own, session) => put(session, "words", { env: OFF }),
    },
  ],
  finalizeUpload: [
    ...ofEverySession(finalize, SINGLE),
    {
      code: "file_not_uploaded",
      before: begin(SINGLE),
      refuse: (own, { upload_id }) => finalize(own, upload_id),
    },
    {
      code: "content_mismatch",
      ends: true,
      before: putFive(PNG_NAME),
      refuse: (own, { upload_id }) => finalize(own, upload_id),
    },
    {
      code: "window_closing",
      before: ending(30_000, putFive(SINGLE)),
      refuse: (own, { upload_id }) => finalize(own, upload_id),
    },
    {
      code: "invalid_state",
      before: begin(MULTIPART),
      refuse: (own, { upload_id }) => finalize(own, upload_id),
    },
    {
      code: "invalid_size",
      before: async (own) => {
        const session = (await post(own, "", SINGLE, { env: DIRECT })).json;
        const { pathname } = new URL(session.upload_url);
        await env.FILES.put(decodeURIComponent(pathname.slice("/files/".length)), "too long");
        return session;
      },
      refuse: (own, { upload_id }) => finalize(own, upload_id, { env: DIRECT }),
    },
    {
      code: "precondition_failed",
      before: async (own) => {
        const session = await putFive(SINGLE)(own);
        const [key = ""] = await keysOf(own.workspaceId);
        await env.FILES.put(key, "swaps");
        return session;
      },
      refuse: (own, { upload_id }) => finalize(own, upload_id),
    },
  ],
  signUploadParts: [
    ...ofEverySession((own, id, more) => part(own, id, "words", more), MULTIPART),
    {
      code: "invalid_size",
      before: begin({ ...MULTIPART, size_bytes: 6 }),
      refuse: (own, { upload_id }) => part(own, upload_id),
    },
    {
      code: "conflict",
      before: completed,
      refuse: (own, { upload_id }) => part(own, upload_id),
    },
    {
      code: "invalid_state",
      before: begin(SINGLE),
      refuse: (own, { upload_id }) => part(own, upload_id),
    },
  ],
  completeUpload: [
    ...ofEverySession(complete, MULTIPART),
    {
      code: "file_not_uploaded",
      before: begin(MULTIPART),
      refuse: (own, { upload_id }) => complete(own, upload_id),
    },
    {
      code: "window_closing",
      before: ending(30_000, putPart),
      refuse: (own, { upload_id }) => complete(own, upload_id),
    },
    {
      code: "invalid_state",
      before: begin(SINGLE),
      refuse: (own, { upload_id }) => complete(own, upload_id),
    },
  ],
  abortUpload: [
    ...ofEverySession(abort, SINGLE),
    { code: "conflict", before: finalized, refuse: (own, { upload_id }) => abort(own, upload_id) },
  ],
};

/** Everything in the bucket except definitions of workflows. */
async function keys(): Promise<string[]> {
  const { objects, truncated } = await env.FILES.list();
  expect(truncated).toBe(false);
  // With several databases, a sign-in notes the shard of its key.
  return objects.map(({ key }) => key).filter((key) => !key.startsWith("directory/"));
}

afterEach(() => {
  vi.restoreAllMocks();
});

for (const [operation, cases] of Object.entries(CASES)) {
  describe(`${operation} leaves nothing in the bucket`, () => {
    for (const { code, before, refuse, ends, isFull, isLong } of cases) {
      const define = isLong === true ? testInProof : it;
      define(`when it answers ${code}`, async () => {
        const own = isFull === true ? await fullCaller() : await newCaller();
        const session = await before?.(own);
        const there = await keys();
        const response = await refuse(own, session);
        expect([response.json.code, response.json.status], response.text).toEqual([
          code,
          response.status,
        ]);
        const left = await keys();
        expect(left.filter((key) => !there.includes(key))).toEqual([]);
        if (ends === true) {
          expect(left.filter((key) => key.startsWith(`${own.workspaceId}/`))).toEqual([]);
        }
        if (before === undefined) {
          const quota = await call("GET", "/api/v1/storage/quota", { token: own.token });
          expect(quota.json.current_bytes).toBe(0);
        }
        if (code === "rate_limited") {
          const seconds = Number(response.headers.get("retry-after"));
          expect(seconds).toBeGreaterThan(0);
          // A window of a minute, and the slice in which the response falls.
          expect(seconds).toBeLessThanOrEqual(61);
          // It does not affect another workspace.
          expect((await refuse(await newCaller(), session)).json.code).not.toBe("rate_limited");
        }
        if (code === "feature_disabled") {
          expect(response.status).toBe(501);
        }
      });
    }

    it("and every code that it documents has a case", () => {
      const endpoint = ENDPOINTS.find(({ operationId }) => operationId === operation)!;
      expect(cases.map(({ code }) => code).toSorted()).toEqual(
        [...withCreationAnswers(endpoint).errors].toSorted(),
      );
    });
  });
}

async function fullCaller(): Promise<Caller> {
  const limits = { max_storage_bytes: 1, requests_per_minute: 10_000 };
  expect((await operator("PUT", "/admin/v1/plans/one-byte", { limits })).status).toBeLessThan(300);
  return await newCaller({ workspaceId: await newWorkspace("one-byte") });
}
