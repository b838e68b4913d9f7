/** Color profiles: routes and refusals (docs/contract/templates.md#color-profiles). */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { pressProfile } from "../../../scripts/press-profile.ts";
import { type Caller, call, newCaller, type Reply } from "../../support/api-caller.ts";
import { documentOf, fieldElement, TemplateApi } from "../../support/templates/template-api.ts";
import { keysOf, upload } from "../../support/asset-form.ts";
import { checkX4 } from "../../support/pdf/x4/check-x4.ts";

const PROFILES = "/api/v1/color-profiles";
const MB = 1024 * 1024;

let caller: Caller;
let asset: string;

beforeAll(async () => {
  caller = await newCaller();
  asset = (await upload(caller, "press.icc", pressProfile())).json.path;
});

const code = ({ status, json }: Reply) => [status, json?.code];
const create = (json: object, key?: string, { token } = caller) =>
  call("POST", PROFILES, {
    token,
    json,
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
  });
const list = (query = "", { token } = caller) => call("GET", `${PROFILES}${query}`, { token });
const remove = (guid: string, { token } = caller) =>
  call("DELETE", `${PROFILES}/${guid}`, { token });

async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

describe("a color profile", () => {
  test("is a copy of an asset, which may be deleted", async () => {
    const own = await newCaller();
    const { path } = (await upload(own, "press.icc", pressProfile())).json;
    const made = await create(
      { asset_path: path, name: " Press 7 ", output_condition_identifier: "FOGRA39" },
      undefined,
      own,
    );
    expect([made.status, made.json]).toEqual([
      201,
      {
        guid: expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        name: "Press 7",
        output_condition_identifier: "FOGRA39",
        color_space: "CMYK",
        sha256: await sha256(pressProfile()),
        size_bytes: pressProfile().length,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    await call("DELETE", `/api/v1/assets?path=${encodeURIComponent(path)}`, own);
    expect((await list("", own)).json).toEqual({
      data: [made.json],
      has_more: false,
      next_cursor: null,
      total_count: 1,
    });
    const keys = await keysOf(own.workspaceId);
    const bytes = await (await env.FILES.get(keys.find((key) => key.endsWith(".icc"))!))?.bytes();
    expect(bytes).toEqual(pressProfile());
    const again = await create({ asset_path: path, name: "Again" }, undefined, own);
    expect(code(again)).toEqual([404, "not_found"]);
  });

  test("says which colors it has; without a condition its name is Custom", async () => {
    for (const [space, name] of [
      ["RGB ", "RGB"],
      ["GRAY", "GRAY"],
    ] as const) {
      const { path } = (await upload(caller, "press.icc", pressProfile(space))).json;
      const { json } = await create({ asset_path: path, name });
      expect(json).toMatchObject({ color_space: name, output_condition_identifier: "Custom" });
    }
  });

  test("has up to 10 MiB", async () => {
    const own = await newCaller();
    const { path } = (await upload(own, "press.icc", padded(10 * MB))).json;
    const made = await create({ asset_path: path, name: "Large" }, undefined, own);
    expect([made.status, made.json.size_bytes], made.text).toEqual([201, 10_485_760]);
    const templates = new TemplateApi(own);
    const { id } = await templates.made(documentOf(fieldElement("name", 2)));
    const printed = await templates.send("POST", `${id}/draft/render`, {
      json: { pdf_export_mode: "pdfx4", color_profile_guid: made.json.guid },
    });
    expect([printed.status, printed.text.slice(0, 8)]).toEqual([200, "%PDF-1.6"]);
    expect(await checkX4(printed.bytes)).toEqual([]);
  });

  test("of the same bytes twice is two profiles and one file", async () => {
    const own = await newCaller();
    const { path } = (await upload(own, "press.icc", pressProfile())).json;
    const [one, two] = [
      await create({ asset_path: path, name: "One" }, undefined, own),
      await create({ asset_path: path, name: "Two" }, undefined, own),
    ];
    expect(one.json.guid).not.toBe(two.json.guid);
    const files = (await keysOf(own.workspaceId)).filter((key) => key.includes("color-profiles"));
    expect(files).toEqual([`${own.workspaceId}/color-profiles/${one.json.sha256}.icc`]);
  });

  test("is listed newest first, page by page, also from a deleted one", async () => {
    const own = await newCaller();
    const { path } = (await upload(own, "press.icc", pressProfile("GRAY"))).json;
    const guids: string[] = [];
    for (const name of ["A", "B", "C"]) {
      guids.unshift((await create({ asset_path: path, name }, undefined, own)).json.guid);
    }
    const first = await list("?limit=2", own);
    expect(first.json).toMatchObject({ has_more: true, total_count: 3, next_cursor: guids[1] });
    expect(first.json.data.map(({ guid }: { guid: string }) => guid)).toEqual(guids.slice(0, 2));
    expect([(await remove(guids[1]!, own)).status]).toEqual([204]);
    const rest = await list(`?starting_after=${guids[1]}`, own);
    expect(rest.json.data.map(({ guid }: { guid: string }) => guid)).toEqual(guids.slice(2));
    expect(rest.json).toMatchObject({ has_more: false, next_cursor: null, total_count: 2 });
  });

  test("is deleted once, and its bytes stay", async () => {
    const own = await newCaller();
    const { path } = (await upload(own, "press.icc", pressProfile())).json;
    const { guid, sha256: digest } = (await create({ asset_path: path, name: "A" }, undefined, own))
      .json;
    // A GUID may come without dashes and in capital letters.
    expect((await remove(guid.replaceAll("-", "").toUpperCase(), own)).status).toBe(204);
    expect(code(await remove(guid, own))).toEqual([404, "not_found"]);
    expect((await list("", own)).json.data).toEqual([]);
    expect(await keysOf(own.workspaceId)).toContain(
      `${own.workspaceId}/color-profiles/${digest}.icc`,
    );
  });

  test("is created once for each key, and a repeat after its deletion says so", async () => {
    const own = await newCaller();
    const { path } = (await upload(own, "press.icc", pressProfile())).json;
    const key = `profile-${crypto.randomUUID()}`;
    const first = await create({ asset_path: path, name: "Once" }, key, own);
    const again = await create({ asset_path: path, name: "Once" }, key, own);
    expect([first.status, again.status, again.json]).toEqual([201, 201, first.json]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const other = await create({ asset_path: path, name: "Twice" }, key, own);
    expect(code(other)).toEqual([409, "idempotency_conflict"]);
    await remove(first.json.guid, own);
    expect(code(await create({ asset_path: path, name: "Once" }, key, own))).toEqual([
      404,
      "not_found",
    ]);
  });
});

describe("what cannot be a color profile", () => {
  test.each<[string, () => Uint8Array, RegExp]>([
    ["the profile of a monitor", () => edited(12, "mntr"), /class prtr/],
    ["one of version 5", () => edited(8, "\u0005"), /version 5/],
    [
      "one with bytes behind its end",
      () => Buffer.concat([pressProfile(), Buffer.alloc(8)]),
      /Its header says/,
    ],
    ["one with a tag behind its end", () => edited(136, "\u007f"), /outside of the file/],
    ["one of more than 10 MiB", () => padded(10 * MB + 1), /at most 10485760/],
  ])("is %s", async (_what, bytes, problem) => {
    const own = await newCaller();
    const stored = await upload(own, "press.icc", bytes());
    expect(stored.status, stored.text).toBe(201);
    const refused = await create({ asset_path: stored.json.path, name: "A" }, undefined, own);
    expect(code(refused)).toEqual([400, "invalid_content"]);
    expect(refused.json.detail).toMatch(problem);
    expect((await keysOf(own.workspaceId)).filter((key) => /color/.test(key))).toEqual([]);
    expect((await list("", own)).json.total_count).toBe(0);
  });

  test("is an asset of another type, named as .icc or not", async () => {
    const csv = (await upload(caller, "table.csv", "a,b\n1,2\n")).json.path;
    expect(code(await create({ asset_path: csv, name: "A" }))).toEqual([400, "invalid_content"]);
    expect((await upload(caller, "table.icc", "a,b\n1,2\n")).status).toBe(400);
  });
});

test("every other refusal of the routes", async () => {
  const stranger = await newCaller();
  const foreign = (await create({ asset_path: asset, name: "Mine" })).json.guid;
  expect(code(await create({ asset_path: "assets/none/none.icc", name: "A" }))).toEqual([
    404,
    "not_found",
  ]);
  expect(code(await create({ asset_path: asset, name: "A" }, undefined, stranger))).toEqual([
    403,
    "forbidden",
  ]);
  for (const json of [{}, { asset_path: asset }, { asset_path: asset, name: "" }, { name: "A" }]) {
    expect(code(await create(json)), JSON.stringify(json)).toEqual([400, "validation_error"]);
  }
  expect(code(await create({ asset_path: asset, name: "A", path: 1 }))).toEqual([
    400,
    "validation_error",
  ]);
  expect(code(await remove(foreign, stranger))).toEqual([403, "forbidden"]);
  expect(code(await remove("none"))).toEqual([400, "invalid_id"]);
  expect(code(await list("?starting_after=none"))).toEqual([400, "invalid_request"]);
  expect(code(await list(`?starting_after=${foreign}`, stranger))).toEqual([
    400,
    "invalid_request",
  ]);
});

function edited(at: number, text: string): Uint8Array {
  const bytes = Buffer.from(pressProfile());
  bytes.write(text, at, "latin1");
  return bytes;
}

/** A valid profile of this size. */
function padded(size: number): Uint8Array {
  const bytes = Buffer.alloc(size);
  bytes.set(pressProfile());
  bytes.writeUInt32BE(size, 0);
  return bytes;
}
