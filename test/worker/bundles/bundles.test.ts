import { createHash } from "node:crypto";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { call, type Caller, newCaller } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";
import { HOME_DB } from "../../support/home-database.ts";

const PNG = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  (character) => character.charCodeAt(0),
);
/** Longer than the part that is sniffed, so that a checksum has to read further. */
const LONG = "name,price\n" + "row,1\n".repeat(30_000);

let caller: Caller;
let png: { path: string };
let csv: { path: string };
let elsewhere: { path: string };

beforeAll(async () => {
  caller = await newCaller();
  png = (await upload(caller, "Größe 1.png", PNG)).json;
  csv = (await upload(caller, "rows.csv", LONG)).json;
  elsewhere = (await upload(await newCaller(), "theirs.csv", "a,b\n1,2\n")).json;
});

const compose = (json: unknown, token = caller.token) =>
  call("POST", "/api/v1/bundle-manifests/compose", { token, json });
const validate = (manifest: unknown, options: object = {}) =>
  call("POST", "/api/v1/bundle-manifests/validate", {
    token: caller.token,
    json: { manifest, ...options },
  });
const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");

async function manifestOf(...paths: string[]) {
  const { json } = await compose({
    bundle_id: "b",
    assets: paths.map((asset_path) => ({ asset_path })),
  });
  return json;
}

/** The codes of a manifest whose entry was changed. */
async function codesWith(change: object, options: object = {}): Promise<string[]> {
  const manifest = await manifestOf(png.path);
  Object.assign(manifest.assets[0], change);
  const { status, json, text } = await validate(manifest, options);
  expect(status, text).toBe(200);
  expect(json.valid).toBe(json.issues.length === 0);
  expect(json.asset_count).toBe(json.bundle.assets.length);
  return json.issues.map(({ code }: { code: string }) => code);
}

describe("a composed manifest", () => {
  it("has true sizes, types and checksums, and ids and paths from the files' names", async () => {
    const { status, json } = await compose({
      bundle_id: "spring",
      assets: [
        { asset_path: png.path, metadata: { sku: "A 1" } },
        { asset_path: csv.path },
        { asset_path: png.path },
        { asset_path: csv.path, id: "mine", relative_path: "data/rows.csv" },
        { asset_path: csv.path, file_name: "../CON.csv" },
      ],
    });
    expect(status).toBe(200);
    const image = {
      storageRef: `storage://${png.path}`,
      mediaType: "image/png",
      sizeBytes: PNG.byteLength,
      sha256: sha256(PNG),
    };
    const rows = {
      storageRef: `storage://${csv.path}`,
      mediaType: "text/csv",
      sizeBytes: LONG.length,
      sha256: sha256(LONG),
      metadata: {},
    };
    expect(json).toEqual({
      schema: "svc.bundle-manifest/v1",
      bundleId: "spring",
      assets: [
        { id: "gro-e-1", relativePath: "Größe 1.png", ...image, metadata: { sku: "A 1" } },
        { id: "rows", relativePath: "rows.csv", ...rows },
        { id: "gro-e-1-2", relativePath: "Größe 1-2.png", ...image, metadata: {} },
        { id: "mine", relativePath: "data/rows.csv", ...rows },
        { id: "con", relativePath: "_CON.csv", ...rows },
      ],
    });
    const checked = await validate(json, { verify_checksum: "always" });
    expect(checked.json).toEqual({
      bundle: json,
      supplied_asset_count: 5,
      asset_count: 5,
      valid: true,
      issues: [],
    });
  });

  it("has no checksums if none are requested", async () => {
    const { json } = await compose({
      bundle_id: "b",
      include_checksum: false,
      assets: [{ asset_path: png.path }],
    });
    expect(json.assets[0]).not.toHaveProperty("sha256");
  });

  it("rejects explicit ids and paths that are duplicates or not portable, all at once", async () => {
    const item = (fields: object) => ({ asset_path: png.path, ...fields });
    const { status, json } = await compose({
      bundle_id: "b",
      assets: [
        item({ id: "x", relative_path: "a/b.png" }),
        item({ id: "x", relative_path: "A/B.png" }),
        item({ relative_path: "../c.png" }),
      ],
    });
    expect([status, json.code]).toEqual([400, "validation_error"]);
    expect(json.errors.map(({ field }: { field: string }) => field)).toEqual([
      "assets[1].id",
      "assets[1].relative_path",
      "assets[2].relative_path",
    ]);
  });

  it("contains assets of this workspace only", async () => {
    const theirs = await compose({
      bundle_id: "b",
      assets: [{ asset_path: "assets/none.png" }, { asset_path: elsewhere.path }],
    });
    expect([theirs.status, theirs.json.code]).toEqual([403, "forbidden"]);
    const none = await compose({ bundle_id: "b", assets: [{ asset_path: "assets/none.png" }] });
    expect([none.status, none.json.code]).toEqual([404, "not_found"]);
    const key = await newCaller({ scopes: ["executions:read"] });
    const unscoped = await compose({ bundle_id: "b", assets: [] }, key.token);
    expect([unscoped.status, unscoped.json.code]).toEqual([403, "insufficient_scope"]);
  });
});

describe("validating a manifest", () => {
  it.each([
    [{ sha256: "0".repeat(64) }, ["ASSET_CHECKSUM_MISMATCH"]],
    [{ sizeBytes: 1 }, ["ASSET_SIZE_MISMATCH"]],
    [
      { mediaType: "image/jpeg" },
      ["ASSET_MEDIA_TYPE_MISMATCH", "ASSET_CONTENT_SIGNATURE_MISMATCH"],
    ],
    [{ relativePath: "a/../b.png" }, ["INVALID_RELATIVE_PATH"]],
    [{ sha256: "ABC" }, ["INVALID_MANIFEST"]],
    [{ sizeBytes: "70" }, ["INVALID_MANIFEST"]],
    [{ extra: 1, more: 1 }, ["INVALID_MANIFEST", "INVALID_MANIFEST"]],
  ])("with %j reports %j", async (change, codes) => {
    expect(await codesWith(change)).toEqual(codes);
  });

  it("distinguishes signature and declared type if the stored bytes have changed", async () => {
    const { json: asset } = await upload(caller, "swapped.png", PNG);
    const manifest = await manifestOf(asset.path);
    const row = await HOME_DB.prepare("SELECT key FROM assets WHERE path = ?")
      .bind(asset.path)
      .first<{ key: string }>();
    const put = await env.FILES.put(row!.key, "x".repeat(PNG.byteLength));
    const again = { bundle_id: "again", assets: [{ asset_path: asset.path }] };
    for (const changed of [await validate(manifest), await compose(again)]) {
      expect([changed.status, changed.json.code]).toEqual([409, "source_changed"]);
    }
    await HOME_DB.prepare("UPDATE assets SET etag = ? WHERE path = ?")
      .bind(put!.etag, asset.path)
      .run();
    expect((await validate(manifest)).json.issues).toMatchObject([
      { code: "ASSET_CONTENT_SIGNATURE_MISMATCH", path: "assets[0].mediaType" },
      { code: "ASSET_CHECKSUM_MISMATCH", path: "assets[0].sha256" },
    ]);
    await env.FILES.delete(row!.key);
    expect((await validate(manifest)).status, "bytes that are gone").toBe(404);
  });

  it("keeps the first of several duplicates and drops the others", async () => {
    const manifest = await manifestOf(png.path, csv.path, csv.path);
    manifest.assets[1].id = manifest.assets[0].id;
    manifest.assets[2].relativePath = manifest.assets[0].relativePath.toUpperCase();
    const { json } = await validate(manifest, { validation: "warn" });
    expect(json).toMatchObject({ supplied_asset_count: 3, asset_count: 1, valid: false });
    expect(json.bundle.assets).toEqual([manifest.assets[0]]);
    expect(json.issues).toMatchObject([
      { code: "DUPLICATE_ASSET_ID", path: "assets[1].id", asset_id: manifest.assets[0].id },
      { code: "DUPLICATE_RELATIVE_PATH", path: "assets[2].relativePath" },
    ]);
  });

  it("follows the policy on checksums", async () => {
    const without = { sha256: undefined };
    expect(await codesWith(without)).toEqual([]);
    expect(await codesWith(without, { verify_checksum: "always" })).toEqual(["CHECKSUM_MISSING"]);
    expect(await codesWith({ sha256: "0".repeat(64) }, { verify_checksum: "never" })).toEqual([]);
  });

  it("returns issues for a value that is not a manifest", async () => {
    const { status, json } = await validate({ schema: "other", assets: "none", more: 1 });
    expect(status).toBe(200);
    expect(json).toMatchObject({ valid: false, supplied_asset_count: 0, asset_count: 0 });
    expect(json.issues.map(({ path }: { path: string }) => path)).toEqual([
      "schema",
      "bundleId",
      "assets",
      "more",
    ]);
  });

  it("never reports an issue for storage that is missing or another workspace's", async () => {
    const manifest = await manifestOf(png.path);
    const [entry] = manifest.assets;
    for (const validation of ["fail", "warn"]) {
      entry.storageRef = `storage://${elsewhere.path}`;
      const theirs = await validate(manifest, { validation });
      expect([theirs.status, theirs.json.code]).toEqual([403, "forbidden"]);
      // Nor if the entry is rejected for another reason.
      const hidden = { ...manifest, assets: [{ ...entry, id: 7, relativePath: ".." }] };
      expect((await validate(hidden, { validation })).status).toBe(403);
      entry.storageRef = "storage://assets/none.png";
      const none = await validate(manifest, { validation });
      expect([none.status, none.json.code]).toEqual([404, "not_found"]);
      for (const form of ["https://example.com/x.png", png.path, "storage://"]) {
        entry.storageRef = form;
        const refused = await validate(manifest, { validation });
        expect([refused.status, refused.json.code]).toEqual([400, "validation_error"]);
      }
    }
  });

  it("rejects unknown policies", async () => {
    for (const options of [{ validation: "maybe" }, { verify_checksum: "sometimes" }]) {
      const { status, json } = await validate({}, options);
      expect([status, json.code]).toEqual([400, "invalid_options"]);
    }
    expect((await validate("text")).json.code).toBe("validation_error");
  });
});
