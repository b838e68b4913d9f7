import { beforeAll, describe, expect, it } from "vitest";
import { call, type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { FontApi } from "../../support/fonts/font-api.ts";

let caller: Caller;
let api: FontApi;
beforeAll(async () => {
  caller = await newCaller();
  api = new FontApi(caller);
});

const named = (displayName: string) => ({ fields: { displayName } });

describe("a font file", () => {
  it("is served with its digest as tag, in parts, and with safe headers", async () => {
    await api.create({ ...named("Served"), files: [{ width: 77 }] });
    const [file] = (await api.get("/api/v1/fonts?query=served")).json.data[0].files;
    const own = file.downloadUrl.slice(ORIGIN.length);
    for (const path of [own, own.replace(/files\/.*/, "variants/400")]) {
      await holdServed(path, file);
    }
  });

  async function holdServed(path: string, file: { sha256: string; sizeBytes: number }) {
    const whole = await api.get(path);
    expect([whole.status, Object.fromEntries(whole.headers)]).toMatchObject([
      200,
      {
        etag: `"${file.sha256}"`,
        "content-type": "font/ttf",
        "content-length": String(file.sizeBytes),
        "accept-ranges": "bytes",
        "x-content-type-options": "nosniff",
        "content-disposition": 'attachment; filename="TestSans-400.ttf"',
        "cache-control": "private, max-age=31536000, immutable",
      },
    ]);
    const etag = whole.headers.get("etag") ?? "";
    const unchanged = await api.get(path, { "if-none-match": etag });
    expect([unchanged.status, unchanged.text]).toEqual([304, ""]);
    const modified = whole.headers.get("last-modified") ?? "";
    expect(Math.abs(Date.parse(modified) - Date.now())).toBeLessThan(60_000);
    for (const [name, status] of [
      ["if-modified-since", 304],
      ["if-unmodified-since", 200],
    ] as const) {
      expect((await api.get(path, { [name]: modified })).status, name).toBe(status);
    }
    const early = { "if-unmodified-since": "Sun, 22 Nov 2015 10:00:00 GMT" };
    expect((await api.get(path, early)).status).toBe(412);
    const part = await api.get(path, { range: "bytes=0-3", "if-range": etag });
    expect([part.status, part.text, part.headers.get("content-range")]).toEqual([
      206,
      "\u0000\u0001\u0000\u0000",
      `bytes 0-3/${file.sizeBytes}`,
    ]);
    const other = await api.get(path, { range: "bytes=0-3", "if-range": '"x"' });
    expect(other.status).toBe(200);
    const beyond = await api.get(path, { range: `bytes=${file.sizeBytes}-` });
    expect([beyond.status, beyond.json.code]).toEqual([416, "range_not_satisfiable"]);
    const head = await call("HEAD", path, { token: caller.token });
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([
      200,
      "",
      String(file.sizeBytes),
    ]);
  }

  it("of a system family is served the same way", async () => {
    const families = (await api.get("/api/v1/fonts?scope=system")).json.data;
    for (const family of families) {
      const file = family.files[0];
      expect([file.variant, family.status]).toEqual(["400", "active"]);
      expect(await api.hashAt(file.downloadUrl)).toBe(file.sha256);
      const path = file.downloadUrl.slice(ORIGIN.length);
      const part = await api.get(path, { range: "bytes=0-3" });
      expect([part.status, part.text]).toEqual([
        206,
        file.format === "otf" ? "OTTO" : "\u0000\u0001\u0000\u0000",
      ]);
      const tag = { "if-none-match": `"${file.sha256}"` };
      expect((await api.get(path, tag)).status).toBe(304);
      const modified = part.headers.get("last-modified") ?? "";
      expect(Date.parse(modified)).toBeLessThan(Date.now());
      expect((await api.get(path, { "if-modified-since": modified })).status).toBe(304);
      const variant = path.replace(/files\/.*/, "variants/400");
      expect((await call("HEAD", variant, { token: caller.token })).status).toBe(200);
    }
    const [{ familyGuid }] = families;
    for (const response of [await api.archive(familyGuid), await api.revise(familyGuid, {})]) {
      expect([response.status, response.json.code]).toEqual([403, "forbidden"]);
    }
  });

  it("is not found under another version, family, variant or id", async () => {
    const one = (await api.create({ ...named("Here") })).json;
    const two = (await api.create({ ...named("There"), files: [{ width: 3 }] })).json;
    const at = (family: string, version: string, rest: string) =>
      api.get(`/api/v1/fonts/${family}/versions/${version}/${rest}`);
    for (const response of [
      await at(one.familyGuid, two.versionGuid, "variants/400"),
      await at(two.familyGuid, one.versionGuid, "variants/400"),
      await at(one.familyGuid, one.versionGuid, "variants/700"),
      await at(one.familyGuid, one.versionGuid, "variants/__proto__"),
      await at(one.familyGuid, one.versionGuid, `files/${crypto.randomUUID()}`),
      await at(crypto.randomUUID(), one.versionGuid, "variants/400"),
      await api.archive(crypto.randomUUID()),
      await api.revise(crypto.randomUUID(), {}),
    ]) {
      expect([response.status, response.json.code]).toEqual([404, "not_found"]);
    }
    for (const response of [
      await at("x", one.versionGuid, "variants/400"),
      await at(one.familyGuid, "1", "variants/400"),
      await at(one.familyGuid, one.versionGuid, "files/wf_1"),
      await api.archive("x"),
    ]) {
      expect([response.status, response.json.code]).toEqual([400, "invalid_id"]);
    }
    expect(
      (await at(one.familyGuid.replaceAll("-", ""), one.versionGuid, "variants/400")).status,
    ).toBe(200);
  });

  it("requires the token, its scope and its permission, and belongs to one workspace", async () => {
    const { familyGuid, versionGuid } = (await api.create({ ...named("Guarded") })).json;
    const path = `/api/v1/fonts/${familyGuid}/versions/${versionGuid}/variants/400`;
    expect((await call("GET", path)).status).toBe(401);
    const stranger = await newCaller();
    for (const response of [
      await api.get(path, {}, stranger),
      await api.archive(familyGuid, stranger),
      await api.revise(familyGuid, {}, stranger),
    ]) {
      expect([response.status, response.json.code]).toEqual([403, "forbidden"]);
    }
    expect((await api.get("/api/v1/fonts?query=guarded", {}, stranger)).json.data).toEqual([]);
    const reader = await newCaller({
      workspaceId: caller.workspaceId,
      scopes: ["assets:read"],
      permissions: ["ws:assets:read"],
    });
    expect((await api.get(path, {}, reader)).status).toBe(200);
    for (const response of [await api.create({}, reader), await api.archive(familyGuid, reader)]) {
      expect([response.status, response.json.code]).toEqual([403, "insufficient_scope"]);
    }
    const writer = await newCaller({
      workspaceId: caller.workspaceId,
      scopes: ["assets:write"],
      permissions: ["ws:assets:manage"],
    });
    expect((await api.get(path, {}, writer)).json.code).toBe("insufficient_scope");
  });
});
