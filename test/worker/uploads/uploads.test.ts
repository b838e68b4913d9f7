import { createHash } from "node:crypto";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { UploadObjectApi } from "../../../src/contracts/files/upload.ts";
import { type Reply, call, type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";

const MIB = 1024 * 1024;
let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

const UPLOADS = "/api/v1/assets/uploads";
// oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
type Session = any;

function create(own: Caller, json: unknown, key?: string): Promise<Reply> {
  return call("POST", UPLOADS, {
    token: own.token,
    json,
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });
}
const post = (own: Caller, path: string, json?: unknown) =>
  call("POST", `${UPLOADS}/${path}`, { token: own.token, ...(json !== undefined && { json }) });
const read = (own: Caller, id: string) => call("GET", `${UPLOADS}/${id}`, { token: own.token });

function put(session: Session, body: BodyInit, headers: Record<string, string> = {}) {
  return call("PUT", String(session.upload_url).slice(ORIGIN.length), {
    body,
    headers: { ...session.required_headers, ...headers },
  });
}

const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("base64");
const object = (id: string) => env.UPLOAD.get(env.UPLOAD.idFromName(id));
const text = (bytes: number) => new Uint8Array(bytes).fill(0x61);

async function quotaBytes(own: Caller): Promise<number> {
  return (await call("GET", "/api/v1/storage/quota", { token: own.token })).json.current_bytes;
}

describe("a single PUT", () => {
  it("becomes an asset when it is finalized, and a repeated finalize returns the same", async () => {
    const own = await newCaller();
    const created = await create(own, { file_name: "Bericht.csv", size_bytes: 8 });
    expect(created.status).toBe(200);
    expect(created.json).toMatchObject({
      status: "pending",
      upload_id: expect.stringMatching(/^upl_[0-9a-f]{32}$/),
      file_name: "Bericht.csv",
      content_type: "text/csv",
      max_size_bytes: 8,
      strategy: "single_put",
      upload_method: "PUT",
      required_headers: { "Content-Type": "text/csv" },
    });
    const minutes = (Date.parse(created.json.url_expires_at) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(14);
    expect(minutes).toBeLessThanOrEqual(15);
    const id = created.json.upload_id;
    expect(await quotaBytes(own)).toBe(8);
    const early = await post(own, `${id}/finalize`);
    expect([early.status, early.json.code]).toEqual([409, "file_not_uploaded"]);
    const stored = await put(created.json, "a,b\n1,2\n");
    expect(stored.status).toBe(200);
    expect(stored.headers.get("etag")).toMatch(/^"[^"]+"$/);
    const finalized = await post(own, `${id}/finalize`);
    expect([finalized.status, finalized.json.status, finalized.json.size_bytes]).toEqual([
      200,
      "finalized",
      8,
    ]);
    expect(finalized.json.upload_url).toBeUndefined();
    expect((await post(own, `${id}/finalize`)).json).toEqual(finalized.json);
    expect((await read(own, id)).json.path).toBe(finalized.json.path);
    const list = await call("GET", "/api/v1/assets", { token: own.token });
    expect(list.json.data).toMatchObject([{ path: finalized.json.path, size_bytes: 8 }]);
    expect(await quotaBytes(own)).toBe(8);
    expect(await keysOf(own.workspaceId)).toHaveLength(1);
    const late = await put(created.json, "x,y\n3,4\n");
    expect([late.status, late.json.code]).toEqual([409, "conflict"]);
    const aborted = await post(own, `${id}:abort`);
    expect([aborted.status, aborted.json.code]).toEqual([409, "conflict"]);
  });

  it("is replaced by a later one before it is finalized", async () => {
    const own = await newCaller();
    const { json } = await create(own, { file_name: "a.txt", size_bytes: 3 });
    await put(json, "one");
    await put(json, "two");
    expect(await keysOf(own.workspaceId)).toHaveLength(1);
    const { path } = (await post(own, `${json.upload_id}/finalize`)).json;
    const { url } = (
      await call("GET", `/api/v1/assets/download-url?path=${path}`, { token: own.token })
    ).json;
    expect((await call("GET", url.slice(ORIGIN.length))).text).toBe("two");
  });

  it("of another size, another header or at an altered address stores nothing", async () => {
    const own = await newCaller();
    const { json } = await create(own, { file_name: "a.txt", size_bytes: 5 });
    const streamed = (size: number) =>
      new Blob([text(size)]).stream().pipeThrough(new TransformStream());
    for (const [body, status, code] of [
      ["123456", 413, "file_too_large"],
      ["1234", 400, "invalid_size"],
      [streamed(9), 413, "file_too_large"],
      [streamed(2), 400, "invalid_size"],
    ] as const) {
      const response = await put(json, body);
      expect([response.status, response.json.code]).toEqual([status, code]);
    }
    const typed = await put(json, "12345", { "content-type": "text/html" });
    expect([typed.status, typed.json.code]).toEqual([403, "forbidden"]);
    for (const altered of [
      json.upload_url.replace(/expires=\d/, "expires=9"),
      json.upload_url.replace("expires=", "part=1&expires="),
      json.upload_url.replace(/signature=.{10}/, "signature=AAAAAAAAAA"),
      json.upload_url.split("?")[0],
    ]) {
      const response = await put({ ...json, upload_url: altered }, "12345");
      expect([response.status, response.json.code], altered).toEqual([403, "forbidden"]);
    }
    expect(await keysOf(own.workspaceId)).toEqual([]);
  });

  it("of another type is refused when it is finalized, and its quota is released", async () => {
    const own = await newCaller();
    const { json } = await create(own, { file_name: "a.png", size_bytes: 4 });
    await put(json, "text");
    const response = await post(own, `${json.upload_id}/finalize`);
    expect([response.status, response.json.code]).toEqual([400, "content_mismatch"]);
    expect((await post(own, `${json.upload_id}/finalize`)).json.code).toBe("content_mismatch");
    expect((await read(own, json.upload_id)).json).toMatchObject({
      status: "failed",
      error_code: "content_mismatch",
    });
    const late = await put(json, "text");
    expect([late.status, late.json.code]).toEqual([409, "conflict"]);
    expect(late.json.detail).toContain("its file was rejected");
    expect(await keysOf(own.workspaceId)).toEqual([]);
    expect(await quotaBytes(own)).toBe(0);
  });

  it("of an SVG is sanitized, with the size of the result", async () => {
    const own = await newCaller();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script><g/></svg>';
    const { json } = await create(own, { file_name: "a.svg", size_bytes: svg.length });
    await put(json, svg);
    const kept = '<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>';
    const done = (await post(own, `${json.upload_id}/finalize`)).json;
    expect([done.status, done.size_bytes]).toEqual(["finalized", kept.length]);
    expect(await keysOf(own.workspaceId)).toHaveLength(1);
    expect(await quotaBytes(own)).toBe(kept.length);
  });

  it("is finalized by one of two concurrent calls, the other returns in_progress or the result", async () => {
    const { json } = await create(caller, { file_name: "a.txt", size_bytes: 1 });
    await put(json, "x");
    const both = await Promise.all([
      post(caller, `${json.upload_id}/finalize`),
      post(caller, `${json.upload_id}/finalize`),
    ]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both.some((response) => response.json.status === "finalized")).toBe(true);
    const again = await post(caller, `${json.upload_id}/finalize`);
    expect(again.json.status).toBe("finalized");
  });
});

describe("a multipart upload", () => {
  const SIZE = 17 * MIB + 5;
  const bytes = text(SIZE);
  const part = (number: number) => bytes.subarray((number - 1) * 8 * MIB, number * 8 * MIB);
  const request = (number: number) => ({
    part_number: number,
    size_bytes: part(number).byteLength,
    checksum_base64: md5(part(number)),
  });

  it("is uploaded in parts, completed, validated and published", async () => {
    const own = await newCaller();
    const { json } = await create(own, { file_name: "large.txt", size_bytes: SIZE });
    expect(json).toMatchObject({
      strategy: "multipart",
      part_size_bytes: 8 * MIB,
      total_parts: 3,
      checksum_algorithm: "md5",
      recommended_parallel_parts: 4,
      recommended_max_in_flight_bytes: 32 * MIB,
    });
    expect(json.upload_url).toBeUndefined();
    const id = json.upload_id;
    const signed = await post(own, `${id}/parts:sign`, { parts: [1, 2, 3].map(request) });
    expect(signed.status).toBe(200);
    expect(signed.json.parts[0]).toMatchObject({
      part_number: 1,
      upload_method: "PUT",
      required_headers: { "Content-MD5": md5(part(1)) },
    });
    for (const number of [3, 1]) {
      expect((await put(signed.json.parts[number - 1], part(number))).status).toBe(200);
    }
    const status = (await read(own, id)).json;
    expect(status.parts.map((one: { confirmed: boolean }) => one.confirmed)).toEqual([
      true,
      false,
      true,
    ]);
    const early = await post(own, `${id}:complete`);
    expect([early.status, early.json.code]).toEqual([409, "file_not_uploaded"]);

    const wrong = new Uint8Array(part(2));
    wrong[7] = 0x62;
    const mismatch = await put(signed.json.parts[1], wrong);
    expect([mismatch.status, mismatch.json.code]).toEqual([400, "content_mismatch"]);
    expect((await read(own, id)).json.parts[1].confirmed).toBe(false);
    const lying = await put(signed.json.parts[1], wrong, { "content-md5": md5(wrong) });
    expect([lying.status, lying.json.code]).toEqual([403, "forbidden"]);
    expect((await put(signed.json.parts[1], part(2))).status).toBe(200);

    const completed = await post(own, `${id}:complete`);
    expect([completed.status, completed.json.status]).toEqual([202, "in_progress"]);
    expect((await post(own, `${id}:complete`)).status).toBe(202);
    await expect.poll(async () => (await read(own, id)).json.status).toBe("finalized");
    const done = (await read(own, id)).json;
    expect(done.size_bytes).toBe(SIZE);
    expect((await post(own, `${id}:complete`)).json.path).toBe(done.path);
    const { url } = (
      await call("GET", `/api/v1/assets/download-url?path=${done.path}`, { token: own.token })
    ).json;
    const got = await call("GET", url.slice(ORIGIN.length));
    expect(md5(new TextEncoder().encode(got.text))).toBe(md5(bytes));
    expect(await keysOf(own.workspaceId)).toHaveLength(1);
  });

  it("is validated by the alarm of its object", async () => {
    const own = await newCaller();
    const session = { file_name: "a.txt", size_bytes: 5, upload_mode: "multipart" };
    const { json } = await create(own, session);
    const [grant] = (
      await post(own, `${json.upload_id}/parts:sign`, {
        parts: [{ part_number: 1, size_bytes: 5, checksum_base64: md5(text(5)) }],
      })
    ).json.parts;
    await put(grant, text(5));
    await post(own, `${json.upload_id}:complete`);
    expect(await runDurableObjectAlarm(object(json.upload_id))).toBe(true);
    expect((await read(own, json.upload_id)).json.status).toBe("finalized");
  });

  it("of another type fails, and polls return the reason", async () => {
    const own = await newCaller();
    const session = { file_name: "a.png", size_bytes: 5, upload_mode: "multipart" };
    const { json } = await create(own, session);
    const [grant] = (
      await post(own, `${json.upload_id}/parts:sign`, {
        parts: [{ part_number: 1, size_bytes: 5, checksum_base64: md5(text(5)) }],
      })
    ).json.parts;
    await put(grant, text(5));
    await post(own, `${json.upload_id}:complete`);
    await runDurableObjectAlarm(object(json.upload_id));
    expect((await read(own, json.upload_id)).json).toMatchObject({
      status: "failed",
      error_code: "content_mismatch",
    });
    expect(await keysOf(own.workspaceId)).toEqual([]);
    expect(await quotaBytes(own)).toBe(0);
  });

  it("rejects wrong parts and calls of the other strategy", async () => {
    const { json } = await create(caller, { file_name: "l.txt", size_bytes: SIZE });
    const sign = (parts: unknown) => post(caller, `${json.upload_id}/parts:sign`, { parts });
    for (const [parts, code] of [
      [[{ ...request(1), size_bytes: 5 }], "invalid_size"],
      [[{ ...request(1), part_number: 4 }], "validation_error"],
      [[{ ...request(1), checksum_base64: "abc" }], "validation_error"],
      [[], "validation_error"],
    ] as const) {
      const response = await sign(parts);
      expect([response.status, response.json.code]).toEqual([400, code]);
    }
    const finalized = await post(caller, `${json.upload_id}/finalize`);
    expect([finalized.status, finalized.json.code]).toEqual([422, "invalid_state"]);
    const single = (await create(caller, { file_name: "s.txt", size_bytes: 3 })).json;
    for (const path of [`${single.upload_id}:complete`, `${single.upload_id}/parts:sign`]) {
      const response = await post(
        caller,
        path,
        path.endsWith("sign") ? { parts: [request(1)] } : undefined,
      );
      expect([response.status, response.json.code], path).toEqual([422, "invalid_state"]);
    }
  });
});

describe("a session", () => {
  it("is refused for a file that could not be stored", async () => {
    const own = await newCaller();
    for (const [json, status, code] of [
      [{ size_bytes: 5 }, 400, "invalid_request"],
      [{ file_name: "a.exe", size_bytes: 5 }, 400, "invalid_file_type"],
      [{ file_name: "a.txt", size_bytes: 0 }, 400, "invalid_size"],
      [{ file_name: "a.txt", size_bytes: -1 }, 400, "invalid_size"],
      [{ file_name: "a.txt", size_bytes: 262_144_001 }, 400, "invalid_size"],
      [
        { file_name: "a.txt", size_bytes: 262_144_001, upload_mode: "multipart" },
        400,
        "invalid_size",
      ],
      [{ file_name: "a.txt", size_bytes: 1e300 }, 400, "invalid_size"],
      [{ file_name: "a.txt", size_bytes: -1e300 }, 400, "invalid_size"],
      [{ file_name: "a.txt", size_bytes: 1.5 }, 400, "validation_error"],
      [{ file_name: "a.txt", size_bytes: "5" }, 400, "validation_error"],
      [{ file_name: "a.txt" }, 400, "validation_error"],
      [{ file_name: "a.txt", size_bytes: 5, upload_mode: "x" }, 400, "validation_error"],
    ] as const) {
      const response = await create(own, json);
      expect([response.status, response.json.code], JSON.stringify(json)).toEqual([status, code]);
    }
    expect((await create(own, { file_name: "a.txt", size_bytes: 1 }, "short")).json.code).toBe(
      "invalid_idempotency_key",
    );
    const auto = async (size_bytes: number) =>
      (await create(own, { file_name: "a.txt", size_bytes })).json.strategy;
    expect([await auto(16 * MIB), await auto(16 * MIB + 1)]).toEqual(["single_put", "multipart"]);
  });

  it("is the same for the same key and file, whatever its state", async () => {
    const own = await newCaller();
    const file = { file_name: "a.txt", size_bytes: 3 };
    const isReplay = ({ headers }: Reply) => headers.get("idempotency-replayed");
    const created = await create(own, file, "key-number-one");
    const first = created.json;
    const repeated = await create(own, file, "key-number-one");
    const again = repeated.json;
    expect([again.upload_id, again.status]).toEqual([first.upload_id, "pending"]);
    expect([isReplay(created), isReplay(repeated)]).toEqual([null, "true"]);
    const other = await create(own, { ...file, size_bytes: 4 }, "key-number-one");
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    await put(again, "one");
    await post(own, `${first.upload_id}/finalize`);
    const finalized = await create(own, file, "key-number-one");
    expect(isReplay(finalized)).toBe("true");
    expect(finalized.json).toMatchObject({
      upload_id: first.upload_id,
      status: "finalized",
      path: expect.any(String),
    });
    const racing = await Promise.all(
      Array.from({ length: 4 }, () => create(own, file, "key-number-two")),
    );
    expect(new Set(racing.map((response) => response.json.upload_id)).size).toBe(1);
    expect(racing.map(isReplay).filter((header) => header === null)).toHaveLength(1);
    const second = racing[0]?.json.upload_id;
    expect((await post(own, `${second}:abort`)).status).toBe(204);
    expect((await read(own, second)).status).toBe(404);
    const renewed = await create(own, file, "key-number-two");
    const fresh = renewed.json;
    expect(isReplay(renewed)).toBeNull();
    expect(fresh.status).toBe("pending");
    expect(fresh.upload_id).not.toBe(second);
  });

  it("that is aborted releases everything", async () => {
    const own = await newCaller();
    const { json } = await create(own, { file_name: "a.txt", size_bytes: 3 });
    await put(json, "one");
    expect([await quotaBytes(own), (await keysOf(own.workspaceId)).length]).toEqual([3, 1]);
    const plan = await call("GET", "/api/v1/plan", { token: own.token });
    expect(plan.json.usage.current_storage_bytes).toBe(3);
    expect((await post(own, `${json.upload_id}:abort`)).status).toBe(204);
    expect([await quotaBytes(own), (await keysOf(own.workspaceId)).length]).toEqual([0, 0]);
    expect((await post(own, `${json.upload_id}:abort`)).status).toBe(404);
    expect((await put(json, "two")).status).toBe(404);
    expect(await keysOf(own.workspaceId)).toEqual([]);
  });

  it("that is being aborted publishes nothing, in any order of calls, and an interrupted abort is finished", async () => {
    const own = await newCaller();
    const { json } = await create(own, { file_name: "a.txt", size_bytes: 3 });
    await put(json, "one");
    const [aborted, finalized] = await runInDurableObject(
      object(json.upload_id),
      async (instance) => {
        const api = instance as unknown as UploadObjectApi;
        const request = { v: 1, workspace_id: own.workspaceId } as const;
        // Both calls start before either has waited for the store.
        return await Promise.all([api.abort(request), api.finalize(request)]);
      },
    );
    expect(aborted.ok).toBe(true);
    expect(finalized).toMatchObject({ ok: false, code: "not_found" });
    const list = await call("GET", "/api/v1/assets", { token: own.token });
    expect([list.json.total_count, await quotaBytes(own)]).toEqual([0, 0]);
    expect(await keysOf(own.workspaceId)).toEqual([]);

    const { json: next } = await create(own, { file_name: "a.txt", size_bytes: 3 });
    await put(next, "two");
    await runInDurableObject(object(next.upload_id), (_instance, { storage }) => {
      storage.sql.exec(`UPDATE session SET session = json_set(session, '$.state', 'aborting')`);
    });
    await runInDurableObject(object(next.upload_id), (_instance, state) => {
      state.abort("wake again");
    }).catch(() => undefined);
    expect((await read(own, next.upload_id)).status).toBe(404);
    await runInDurableObject(object(next.upload_id), async (instance) => {
      await instance.alarm?.();
    });
    expect([await quotaBytes(own), (await keysOf(own.workspaceId)).length]).toEqual([0, 0]);
  });

  it("that has expired returns 410, and its alarm deletes the uploaded bytes", async () => {
    const own = await newCaller();
    const { json } = await create(own, { file_name: "a.txt", size_bytes: 3 });
    await put(json, "one");
    /** Moves the deadline and wakes the object again, so that it reads its row. */
    const endIn = async (ms: number) => {
      await runInDurableObject(object(json.upload_id), (_instance, state) => {
        const [row] = state.storage.sql
          .exec<{ session: string }>("SELECT session FROM session")
          .toArray();
        const session = JSON.parse(row?.session ?? "{}");
        session.facts.finalize_expires_at_ms = Date.now() + ms;
        state.storage.sql.exec("UPDATE session SET session = ?", JSON.stringify(session));
      });
      await runInDurableObject(object(json.upload_id), (_instance, state) => {
        state.abort("wake again");
      }).catch(() => undefined);
    };
    await endIn(30_000);
    const closing = await post(own, `${json.upload_id}/finalize`);
    expect([closing.status, closing.json.code]).toEqual([409, "window_closing"]);
    await endIn(-1);
    const over = await post(own, `${json.upload_id}/finalize`);
    expect([over.status, over.json.code]).toEqual([410, "upload_expired"]);
    await runInDurableObject(object(json.upload_id), async (instance) => {
      await instance.alarm?.();
    });
    expect(await keysOf(own.workspaceId)).toEqual([]);
    expect(await quotaBytes(own)).toBe(0);
    expect((await read(own, json.upload_id)).json.code).toBe("upload_expired");
  });

  it("belongs to its workspace, and is rate-limited", async () => {
    const { json } = await create(caller, { file_name: "a.txt", size_bytes: 3 });
    const other = await newCaller();
    for (const response of [
      await read(other, json.upload_id),
      await post(other, `${json.upload_id}/finalize`),
      await post(other, `${json.upload_id}:abort`),
    ]) {
      expect([response.status, response.json.code]).toEqual([403, "forbidden"]);
    }
    expect((await read(other, "upl_nonsense")).json.code).toBe("invalid_id");
    expect((await read(other, `upl_${"0".repeat(32)}`)).status).toBe(404);
    for (let at = 0; at < 60; at++) {
      await create(other, { file_name: "a.txt", size_bytes: 3 });
    }
    const limited = await create(other, { file_name: "a.txt", size_bytes: 3 });
    expect([limited.status, limited.json.code]).toEqual([429, "rate_limited"]);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
