import { beforeAll, describe, expect, it } from "vitest";
import { call, type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { keysOf, upload } from "../../support/asset-form.ts";
import { HOME_DB } from "../../support/home-database.ts";

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

const get = (path: string, token = caller.token) => call("GET", path, { token });
const assetQuery = (path: string) => `?path=${encodeURIComponent(path)}`;

async function download(path: string, token = caller.token) {
  const { json } = await get(`/api/v1/assets/download-url${assetQuery(path)}`, token);
  return { url: String(json.url), path: String(json.url).slice(ORIGIN.length) };
}

const PNG = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  (character) => character.charCodeAt(0),
);

describe("an upload", () => {
  it("is stored under a path, and its address gives the very bytes to anyone", async () => {
    const stored = await upload(caller, "Zürich – Préis.CSV", "a,b\n1,2\n");
    expect(stored.status).toBe(201);
    expect(stored.json).toEqual({
      path: expect.stringMatching(/^assets\/[\w./-]+\/Zurich-Preis\.csv$/),
      name: "Zürich – Préis.CSV",
      content_type: "text/csv",
      size_bytes: 8,
    });
    const { url, path } = await download(stored.json.path);
    expect(url).toMatch(/^http:\/\/svc\.test\/files\/ws_[0-9a-f]{32}\/assets\/[\w-]{43}\//);
    const bytes = await call("GET", path);
    expect([bytes.status, bytes.text]).toEqual([200, "a,b\n1,2\n"]);
    expect(Object.fromEntries(bytes.headers)).toMatchObject({
      "content-type": "text/csv",
      "x-content-type-options": "nosniff",
      "content-disposition": expect.stringMatching(/^attachment/),
      "cache-control": "private, no-cache",
    });
    const again = await call("GET", path, {
      headers: { "if-none-match": bytes.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
    const part = await call("GET", path, { headers: { range: "bytes=0-2" } });
    expect([part.status, part.text]).toEqual([206, "a,b"]);
  });

  it("of the same name twice makes two paths", async () => {
    const [one, two] = [
      await upload(caller, "same.txt", "1"),
      await upload(caller, "same.txt", "2"),
    ];
    expect(one.json.path).not.toBe(two.json.path);
    expect((await call("GET", (await download(one.json.path)).path)).text).toBe("1");
  });

  it("of several parts keeps every byte", async () => {
    const bytes = new Uint8Array(11 * 1024 * 1024 + 17);
    for (let at = 0; at < bytes.length; at++) {
      bytes[at] = 0x20 + ((at * 31) % 90);
    }
    const stored = await upload(caller, "large.txt", bytes);
    expect([stored.status, stored.json.size_bytes]).toEqual([201, bytes.length]);
    const { path } = await download(stored.json.path);
    const digest = async (data: BufferSource) =>
      new Uint8Array(await crypto.subtle.digest("SHA-256", data)).join();
    expect(await digest(new TextEncoder().encode((await call("GET", path)).text))).toBe(
      await digest(bytes),
    );
  });

  it("keeps a base name without paths, control and bidirectional characters", async () => {
    for (const [given, name] of [
      ["../../etc/pass\u0000wd.txt", "passwd.txt"],
      ["C:\\Windows\\evil\u202Etxt.txt", "eviltxt.txt"],
      ["e\u0301.txt", "é.txt"],
    ] as const) {
      const form = `--b\r\nContent-Disposition: form-data; name="file"; filename="${given}"\r\n\r\nx\r\n--b--\r\n`;
      const stored = await call("POST", "/api/v1/assets", {
        token: caller.token,
        body: form,
        headers: { "content-type": "multipart/form-data; boundary=b" },
      });
      expect([stored.status, stored.json.name], given).toEqual([201, name]);
      expect(stored.json.path).toMatch(/^[\x21-\x7e]+$/);
      expect(stored.json.path).not.toContain("..");
    }
    const long = await upload(caller, `${"é".repeat(300)}.txt`, "x");
    expect(new TextEncoder().encode(long.json.name).byteLength).toBeLessThanOrEqual(255);
    expect(long.json.name).toMatch(/é\.txt$/);
  });

  it("with a clean SVG in it is stored cleaned, with the size of what is stored", async () => {
    const stored = await upload(
      caller,
      "logo.svg",
      '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>1</script><path d="M0 0h1"/></svg>',
    );
    const kept = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h1"/></svg>';
    expect(stored.json).toMatchObject({ content_type: "image/svg+xml", size_bytes: kept.length });
    const served = await call("GET", (await download(stored.json.path)).path);
    expect(served.text).toBe(kept);
    expect(served.headers.get("content-security-policy")).toContain("sandbox");
  });
});

describe("a refused upload", () => {
  const refused = async (name: string, content: string | Uint8Array, field?: string) => {
    const response = await upload(caller, name, content, field);
    return [response.status, response.json.code];
  };

  it("leaves nothing in the bucket, in the list or in the usage", async () => {
    const own = await newCaller();
    const before = await HOME_DB.prepare("SELECT count(*) AS n FROM assets").first("n");
    const pdf = new TextEncoder().encode("%PDF-1.7\n1 0 obj\n");
    for (const [name, content] of [
      ["a.exe", "MZ"],
      ["noextension", "x"],
      [".png", PNG],
      ["a.xls", "x"],
      ["a.svgz", "x"],
      ["a.html", "<html>"],
    ] as const) {
      const response = await upload(own, name, content);
      expect([response.status, response.json.code], name).toEqual([400, "invalid_file_type"]);
    }
    for (const [name, content] of [
      ["a.png", "<html><script>alert(1)</script>"],
      ["a.jpg", PNG],
      ["a.pdf", new Uint8Array([0x0a, ...pdf])],
      ["a.gif", "GIF89a=1;/*".padEnd(900, "x")],
      ["a.csv", "<!DOCTYPE html><html>"],
      ["b.csv", "a\u0000b"],
      ["a.json", "{broken"],
      ["a.ndjson", '{"a":1}\nnope\n'],
      ["a.xlsx", "PK not really"],
      ["a.svg", "<svg xmlns='http://www.w3.org/2000/svg'><path></svg>"],
      ["a.svg", "<html xmlns='http://www.w3.org/1999/xhtml'/>"],
      ["a.glb", "glTF"],
      ["a.stl", "solid of nothing"],
      ["a.vtt", "Not a WEBVTT"],
      ["a.srt", "hello"],
      ["a.obj", "hello there"],
      ["a.icc", "x".repeat(200)],
      ["large.csv", new Uint8Array(7 * 1024 * 1024)],
    ] as const) {
      const response = await upload(own, name, content);
      expect([response.status, response.json.code], name).toEqual([400, "invalid_content"]);
      expect(response.json.detail, name).toMatch(/\S/);
    }
    expect((await upload(own, "empty.csv", "")).json.code).toBe("invalid_file");
    expect(await refused("a.txt", "x", "upload")).toEqual([400, "invalid_file"]);
    expect(await keysOf(own.workspaceId)).toEqual([]);
    expect((await get("/api/v1/assets", own.token)).json.total_count).toBe(0);
    expect(await HOME_DB.prepare("SELECT count(*) AS n FROM assets").first("n")).toBe(before);
    const usage = await HOME_DB.prepare(
      "SELECT asset_bytes FROM storage_usage WHERE workspace_id = ?",
    )
      .bind(own.workspaceId)
      .first("asset_bytes");
    expect(usage).toBe(0);
  });

  it("is cut short: the client receives the reason, and nothing stays", async () => {
    const own = await newCaller();
    const whole = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${"x".repeat(6_000_000)}\r\n--b--\r\n`;
    for (const length of [10, 90, 5_500_000, whole.length - 5]) {
      const response = await call("POST", "/api/v1/assets", {
        token: own.token,
        body: whole.slice(0, length),
        headers: { "content-type": "multipart/form-data; boundary=b" },
      });
      expect([response.status, response.json.code], String(length)).toEqual([
        400,
        "invalid_request",
      ]);
    }
    expect(await keysOf(own.workspaceId)).toEqual([]);
    expect((await get("/api/v1/assets", own.token)).json.data).toEqual([]);
  });

  it("is not a form", async () => {
    const json = await call("POST", "/api/v1/assets", { token: caller.token, json: {} });
    expect([json.status, json.json.code]).toEqual([415, "unsupported_media_type"]);
    const none = await call("POST", "/api/v1/assets", { token: caller.token });
    expect([none.status, none.json.code]).toEqual([400, "invalid_file"]);
    const two = new FormData();
    two.append("file", new File(["1"], "a.txt"));
    two.append("file", new File(["2"], "b.txt"));
    const response = await call("POST", "/api/v1/assets", { token: caller.token, body: two });
    expect([response.status, response.json.code]).toEqual([400, "invalid_request"]);
  });

  it("does not fit the quota", async () => {
    const plan = await call("PUT", "/admin/v1/plans/tiny", {
      token: "the-operator-token-of-the-tests",
      json: { limits: { max_storage_bytes: 2_000, requests_per_minute: 10_000 } },
    });
    expect(plan.status).toBe(200);
    const own = await newCaller();
    const moved = await call("PUT", `/admin/v1/workspaces/${own.workspaceId}/plan`, {
      token: "the-operator-token-of-the-tests",
      json: { plan: "tiny" },
    });
    expect(moved.status).toBe(200);
    expect((await upload(own, "a.txt", "x".repeat(1_000))).status).toBe(201);
    const response = await upload(own, "b.txt", "x".repeat(1_500));
    expect([response.status, response.json.code]).toEqual([402, "quota_exceeded"]);
    expect(await keysOf(own.workspaceId)).toHaveLength(1);
  });
});

describe("the list of assets", () => {
  it("returns newest first, page by page, and stays stable while files are added and deleted", async () => {
    const own = await newCaller();
    const paths: string[] = [];
    for (let at = 0; at < 5; at++) {
      paths.unshift((await upload(own, `Report ${at}.txt`, "x".repeat(at + 1))).json.path);
    }
    const first = (await get("/api/v1/assets?limit=2", own.token)).json;
    expect(first.data.map((item: { path: string }) => item.path)).toEqual(paths.slice(0, 2));
    expect(first).toMatchObject({ has_more: true, next_cursor: paths[1], total_count: 5 });
    expect(first.data[0]).toMatchObject({
      size_bytes: 5,
      content_type: "text/plain; charset=utf-8",
    });
    expect(Date.parse(first.data[0].created_at)).toBeGreaterThan(Date.now() - 60_000);
    await upload(own, "new.txt", "x");
    // The cursor itself may go.
    await call("DELETE", `/api/v1/assets${assetQuery(paths[1] ?? "")}`, { token: own.token });
    const next = (
      await get(`/api/v1/assets?limit=2&starting_after=${first.next_cursor}`, own.token)
    ).json;
    expect(next.data.map((item: { path: string }) => item.path)).toEqual(paths.slice(2, 4));
    const last = (await get(`/api/v1/assets?limit=2&starting_after=${next.next_cursor}`, own.token))
      .json;
    expect(last).toMatchObject({ has_more: false, next_cursor: null });
    const named = (await get("/api/v1/assets?name=REPORT%202", own.token)).json;
    expect([named.total_count, named.data[0].name]).toEqual([1, "Report 2.txt"]);
    expect((await get("/api/v1/assets?prefix=assets/1999", own.token)).json.total_count).toBe(0);
    expect((await get("/api/v1/assets?name=%25", own.token)).json.total_count).toBe(0);
  });

  it("refuses an unknown cursor and a limit out of range", async () => {
    const cursor = await get("/api/v1/assets?starting_after=assets/no/such");
    expect([cursor.status, cursor.json.code]).toEqual([400, "invalid_request"]);
    for (const limit of ["0", "101", "x"]) {
      expect((await get(`/api/v1/assets?limit=${limit}`)).json.code).toBe("validation_error");
    }
  });
});

describe("a deleted asset", () => {
  it("disappears at once from its address, the list, and the bucket", async () => {
    const own = await newCaller();
    const { json } = await upload(own, "a.txt", "x");
    const { path } = await download(json.path, own.token);
    const query = assetQuery(json.path);
    expect((await call("DELETE", `/api/v1/assets${query}`, { token: own.token })).status).toBe(204);
    expect((await call("GET", path)).status).toBe(404);
    expect(await keysOf(own.workspaceId)).toEqual([]);
    const again = await call("DELETE", `/api/v1/assets${query}`, { token: own.token });
    expect([again.status, again.json.code]).toEqual([404, "not_found"]);
    expect((await get(`/api/v1/assets/download-url${query}`, own.token)).status).toBe(404);
  });

  it("is not another workspace's to delete or to read", async () => {
    const { json } = await upload(caller, "mine.txt", "x");
    const other = await newCaller();
    for (const response of [
      await call("DELETE", `/api/v1/assets${assetQuery(json.path)}`, { token: other.token }),
      await get(`/api/v1/assets/download-url${assetQuery(json.path)}`, other.token),
    ]) {
      expect([response.status, response.json.code]).toEqual([403, "forbidden"]);
    }
    const missing = await call("DELETE", "/api/v1/assets", { token: caller.token });
    expect([missing.status, missing.json.code]).toEqual([400, "invalid_request"]);
  });
});

describe("scopes of assets", () => {
  it("are separate from permissions, and both are required", async () => {
    const reader = await newCaller({ scopes: ["assets:read"], permissions: ["ws:assets:read"] });
    expect((await upload(reader, "a.txt", "x")).json.code).toBe("insufficient_scope");
    expect((await get("/api/v1/assets", reader.token)).status).toBe(200);
    const writer = await newCaller({ scopes: ["assets:write"], permissions: ["ws:assets:read"] });
    expect((await upload(writer, "a.txt", "x")).json.code).toBe("insufficient_scope");
  });
});

describe("storage", () => {
  const BILLING_PLAN_TOKEN = "the-operator-token-of-the-tests";
  it("is reported by category, with a warning from 80 % and a block when it is full", async () => {
    const own = await newCaller();
    await call("PUT", "/admin/v1/plans/small", {
      token: BILLING_PLAN_TOKEN,
      json: { limits: { max_storage_bytes: 1_000, requests_per_minute: 10_000 } },
    });
    await call("PUT", `/admin/v1/workspaces/${own.workspaceId}/plan`, {
      token: BILLING_PLAN_TOKEN,
      json: { plan: "small" },
    });
    const quota = async () => (await get("/api/v1/storage/quota", own.token)).json;
    expect(await quota()).toEqual({
      current_bytes: 0,
      max_bytes: 1_000,
      usage_percent: 0,
      is_warning: false,
      is_blocked: false,
    });
    await upload(own, "a.txt", "x".repeat(300));
    await upload(own, "a.csv", "x".repeat(300));
    expect(await quota()).toMatchObject({ usage_percent: 60, is_warning: false });
    await upload(own, "b.txt", "x".repeat(250));
    expect(await quota()).toMatchObject({
      current_bytes: 850,
      usage_percent: 85,
      is_warning: true,
    });
    expect((await get("/api/v1/storage/usage", own.token)).json).toEqual({
      total_bytes: 850,
      file_count: 3,
      breakdown: [
        { category: "data", total_bytes: 300, file_count: 1 },
        { category: "document", total_bytes: 550, file_count: 2 },
      ],
    });
    expect((await upload(own, "c.txt", "x".repeat(151))).json.code).toBe("quota_exceeded");
  });
});
