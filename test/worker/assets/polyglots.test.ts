/** Files that are valid in a second format too, by every kind of upload: each is refused with its code and leaves nothing. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TaskRoom } from "../../../durable-objects/executor/task-room.ts";
import { createFetchMedia } from "../../../src/workers/shared/fetch-media.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { call, type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { keysOf, upload } from "../../support/asset-form.ts";
import { POLYGLOTS, type Polyglot, WHOLE_FILES } from "../../support/polyglots/polyglot-files.ts";

const UPLOADS = "/api/v1/assets/uploads";
/** Clients upload to the store directly; here it is this bucket under another address. */
const DIRECT = {
  S3_ENDPOINT: "https://store.example",
  S3_BUCKET: "files",
  S3_ACCESS_KEY_ID: "a key id",
  S3_SECRET_ACCESS_KEY: "a secret of the store",
};

/** A session takes several requests, so it gets every fifth file: this still covers every format and every kind of tail. */
const STEP = 5;

type File = Pick<Polyglot, "extension" | "bytes">;

/** Sends a file by one kind of upload and returns the result. */
type WayIn = (own: Caller, file: File) => Promise<string>;

const nameOf = ({ extension }: File) => `x.${extension}`;
const post = (own: Caller, path: string, json?: unknown, more: object = {}) =>
  call("POST", `${UPLOADS}${path}`, { token: own.token, json, ...more });

function outside({ bytes }: File): void {
  vi.spyOn(globalThis, "fetch").mockImplementation(() => Promise.resolve(new Response(bytes)));
}

const upload_mode = (mode: string, file: File) => ({
  file_name: nameOf(file),
  size_bytes: file.bytes.length,
  upload_mode: mode,
});

const WAYS: Readonly<
  Record<string, { readonly send: WayIn; readonly refusal: string; readonly step?: number }>
> = {
  "an upload": {
    send: async (own, file) => {
      const { json } = await upload(own, nameOf(file), file.bytes);
      return json.code ?? "stored";
    },
    refusal: "invalid_content",
  },
  "an import": {
    send: async (own, file) => {
      outside(file);
      const { json } = await call("POST", "/api/v1/assets/import", {
        token: own.token,
        json: { url: `https://files.example/${nameOf(file)}` },
      });
      return json.code ?? "stored";
    },
    refusal: "content_mismatch",
  },
  "a single PUT": {
    send: async (own, file) => {
      const { json: session } = await post(own, "", upload_mode("single_put", file));
      const put = await call("PUT", String(session.upload_url).slice(ORIGIN.length), {
        body: file.bytes,
        headers: session.required_headers,
      });
      expect(put.status).toBe(200);
      const { json } = await post(own, `/${session.upload_id}/finalize`);
      return json.code ?? "stored";
    },
    refusal: "content_mismatch",
    step: STEP,
  },
  "a single PUT to the store": {
    send: async (own, file) => {
      const direct = { env: DIRECT };
      const { json: session } = await post(own, "", upload_mode("single_put", file), direct);
      const { pathname } = new URL(session.upload_url);
      await env.FILES.put(decodeURIComponent(pathname.slice("/files/".length)), file.bytes);
      const { json } = await post(own, `/${session.upload_id}/finalize`, undefined, direct);
      return json.code ?? "stored";
    },
    refusal: "content_mismatch",
    step: STEP,
  },
  "an upload in parts": {
    send: async (own, file) => {
      const { json: session } = await post(own, "", upload_mode("multipart", file));
      const path = `/${session.upload_id}`;
      const md5 = new Uint8Array(await crypto.subtle.digest("MD5", file.bytes));
      const checksum_base64 = btoa(String.fromCharCode(...md5));
      const parts = [{ part_number: 1, size_bytes: file.bytes.length, checksum_base64 }];
      const [grant] = (await post(own, `${path}/parts:sign`, { parts })).json.parts;
      const put = await call("PUT", String(grant.upload_url).slice(ORIGIN.length), {
        body: file.bytes,
        headers: grant.required_headers,
      });
      expect(put.status).toBe(200);
      expect((await post(own, `${path}:complete`)).status).toBe(202);
      await runDurableObjectAlarm(env.UPLOAD.get(env.UPLOAD.idFromName(session.upload_id)));
      const ended = (await call("GET", `${UPLOADS}${path}`, { token: own.token })).json;
      return ended.status === "finalized" ? "stored" : ended.error_code;
    },
    refusal: "content_mismatch",
    step: STEP,
  },
  "a media address": {
    send: async (own, file) => {
      outside(file);
      const fetchMedia = createFetchMedia(env as never, {
        workspaceId: own.workspaceId,
        filePrefix: `${own.workspaceId}/runs/run_x/`,
        // As for a run that takes no files in reports.
        room: new TaskRoom(false, () => undefined),
        signal: new AbortController().signal,
        exchangeMemory: () => Promise.resolve(),
      });
      const kind = file.extension === "pdf" ? "document" : "image";
      const response = await fetchMedia(`https://files.example/${nameOf(file)}`, kind).catch(
        (error: unknown) => error,
      );
      return response instanceof NodeError ? response.code : "stored";
    },
    refusal: "MEDIA_TYPE_MISMATCH",
  },
};

const PICTURES_AND_PDF = POLYGLOTS.filter(({ extension }) => WHOLE_FILES[extension] !== undefined);

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(Object.entries(WAYS))("%s", (_way, { send, refusal, step = 1 }) => {
  it("rejects polyglots, and keeps nothing of them", async () => {
    let own = await newCaller();
    const files = PICTURES_AND_PDF.filter((_file, at) => at % step === 0);
    for (const [at, file] of files.entries()) {
      // Imports and sessions of one workspace are limited to 60 a minute.
      own = at % 50 === 49 ? await newCaller() : own;
      expect(await send(own, file), file.title).toBe(refusal);
      expect(await keysOf(own.workspaceId), file.title).toEqual([]);
    }
  });

  it("accepts the same files without the foreign content", async () => {
    const own = await newCaller();
    for (const [extension, bytes] of Object.entries(WHOLE_FILES)) {
      expect(await send(own, { extension, bytes }), extension).toBe("stored");
    }
    expect(await keysOf(own.workspaceId)).not.toEqual([]);
  });
});
