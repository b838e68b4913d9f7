import { beforeAll, describe, expect, it } from "vitest";
import { type Reply, call, type Caller, newCaller } from "../../support/api-caller.ts";
import { keysOf, upload as uploadAsset } from "../../support/asset-form.ts";
import { FontApi } from "../../support/fonts/font-api.ts";
import { fontForm, type FontFormSpec } from "../../support/fonts/font-form.ts";
import { makeFont } from "../../support/fonts/make-font.ts";
import { testInProof } from "../../support/in-proof.ts";
import { HOME_DB } from "../../support/home-database.ts";

let caller: Caller;
let api: FontApi;
beforeAll(async () => {
  caller = await newCaller();
  api = new FontApi(caller);
});

const named = (displayName: string) => ({ fields: { displayName } });

describe("a refused upload", () => {
  const MB = 1024 * 1024;
  const zeros = (size: number) => new Uint8Array(size);
  const patched = (tag: string, by: string) => {
    const bytes = makeFont();
    const at = new TextDecoder("latin1").decode(bytes).indexOf(tag);
    bytes.set(new TextEncoder().encode(by), at);
    return bytes;
  };
  const magic = (text: string) => {
    const bytes = zeros(200);
    bytes.set(new TextEncoder().encode(text));
    return bytes;
  };
  const CASES: readonly (readonly [
    what: string,
    spec: FontFormSpec,
    status: number,
    code: string,
  ])[] = [
    ["no regular", { files: [{ weight: 700 }] }, 400, "FONT_REGULAR_REQUIRED"],
    ["an italic of weight 400 only", { files: [{ isItalic: true }] }, 400, "FONT_REGULAR_REQUIRED"],
    ["no files", { files: [] }, 400, "FONT_REGULAR_REQUIRED"],
    [
      "no license",
      { fields: { licenseAcknowledged: undefined } },
      400,
      "FONT_LICENSE_ACKNOWLEDGEMENT_REQUIRED",
    ],
    [
      "a refused license",
      { fields: { licenseAcknowledged: "false" } },
      400,
      "FONT_LICENSE_ACKNOWLEDGEMENT_REQUIRED",
    ],
    ["two of one variant", { files: [{}, { width: 400 }] }, 400, "FONT_DUPLICATE_VARIANT"],
    ["the same file twice", { files: [{}, {}] }, 400, "FONT_DUPLICATE_VARIANT"],
    [
      "two families",
      { files: [{}, { weight: 700, family: "Other" }] },
      400,
      "FONT_FAMILY_MISMATCH",
    ],
    ["no font", { files: [{}, magic("hello")] }, 400, "FONT_INVALID"],
    ["an empty file", { files: [zeros(0)] }, 400, "FONT_INVALID"],
    ["a cut font", { files: [makeFont().slice(0, 500)] }, 400, "FONT_INVALID"],
    ["a picture by its name", { names: ["font.png"] }, 400, "FONT_INVALID"],
    ["a web font by its name", { names: ["font.woff2"] }, 400, "FONT_WEB_FORMAT_UNSUPPORTED"],
    ["WOFF by its bytes", { files: [magic("wOFF")] }, 400, "FONT_WEB_FORMAT_UNSUPPORTED"],
    ["WOFF2 by its bytes", { files: [magic("wOF2")] }, 400, "FONT_WEB_FORMAT_UNSUPPORTED"],
    ["a collection", { files: [magic("ttcf")] }, 400, "FONT_COLLECTION_UNSUPPORTED"],
    ["a collection by its name", { names: ["a.ttc"] }, 400, "FONT_COLLECTION_UNSUPPORTED"],
    ["a variable font", { files: [patched("post", "fvar")] }, 400, "FONT_VARIABLE_UNSUPPORTED"],
    ["no name", { fields: { displayName: undefined } }, 400, "validation_error"],
    ["an empty name", { fields: { displayName: "   " } }, 400, "validation_error"],
    ["a name turned round", { fields: { displayName: "a\u202Eb" } }, 400, "validation_error"],
    ["a long name", { fields: { displayName: "x".repeat(201) } }, 400, "validation_error"],
    ["another category", { fields: { category: "Serif" } }, 400, "validation_error"],
    ["a malformed fallback", { fields: { systemFallbackFamilyGuid: "x" } }, 400, "invalid_id"],
    [
      "an unknown fallback",
      { fields: { systemFallbackFamilyGuid: crypto.randomUUID() } },
      400,
      "validation_error",
    ],
    ["21 MB", { files: [{}, zeros(21 * MB)] }, 413, "FONT_FILE_TOO_LARGE"],
    [
      "four of 16 MB",
      {
        files: [400, 500, 600, 700].map((weight) => ({ weight, sizeBytes: 16 * MB })),
      },
      413,
      "FONT_FAMILY_TOO_LARGE",
    ],
    [
      "51 files",
      { files: Array.from({ length: 51 }, (_, i) => ({ weight: 400 + i })) },
      413,
      "FONT_FAMILY_TOO_LARGE",
    ],
  ];

  const isLarge = ([, , status]: (typeof CASES)[number]) => status === 413;
  /** Checks the refusal of each case, by `send`, and that the family is unchanged. */
  async function hold(
    cases: typeof CASES,
    send: (api: FontApi, familyGuid: string, spec: FontFormSpec) => Promise<Reply>,
  ) {
    const who = await newCaller();
    const own = new FontApi(who);
    const kept = await own.create({ ...named("Kept"), files: [{ width: 111 }] });
    const state = async () => [
      await keysOf(who.workspaceId),
      await own.bytesInUse(),
      await own.own(),
      await HOME_DB.prepare("SELECT count(*) AS n FROM font_objects").first("n"),
      await HOME_DB.prepare("SELECT count(*) AS n FROM font_files").first("n"),
    ];
    const before = await state();
    expect(before[0]).toHaveLength(1);
    for (const [what, spec, status, code] of cases) {
      const response = await send(own, kept.json.familyGuid, spec);
      expect([response.status, response.json.code], what).toEqual([status, code]);
      expect(response.json.detail, what).toMatch(/\w \w/);
    }
    expect(await state(), "nothing in the bucket, in the tables or of the quota").toEqual(before);
  }

  const create: Parameters<typeof hold>[1] = (own, _familyGuid, spec) => own.create(spec);
  const revise: Parameters<typeof hold>[1] = (own, familyGuid, spec) =>
    own.revise(familyGuid, { ...spec, fields: { displayName: "Kept", ...spec.fields } });

  it.each([
    ["family", create],
    ["revision", revise],
  ])("of a %s has its code and leaves nothing", async (_what, send) => {
    await hold(
      CASES.filter((one) => !isLarge(one)),
      send,
    );
  });

  // Each in a test of its own, since they take long.
  it.each(CASES.filter(isLarge))("of a family of %s is refused as it arrives", async (...one) => {
    await hold([one], create);
  });

  const isLargest = ([what]: (typeof CASES)[number]) => what === "four of 16 MB";
  it.each(CASES.filter((one) => isLarge(one) && !isLargest(one)))(
    "of a revision of %s is refused as it arrives",
    async (...one) => {
      await hold([one], revise);
    },
  );
  testInProof.each(CASES.filter(isLargest))(
    "of a revision of %s is refused as it arrives",
    async (...one) => {
      await hold([one], revise);
    },
  );

  it("without a form, with a truncated one, or with files in another field is refused", async () => {
    const who = await newCaller();
    const api = new FontApi(who);
    const { familyGuid } = (await api.create()).json;
    const keys = await keysOf(who.workspaceId);
    for (const path of ["/api/v1/fonts", `/api/v1/fonts/${familyGuid}/revisions`]) {
      for (const sent of [{ json: {} }, {}]) {
        const response = await call("POST", path, { token: who.token, ...sent });
        expect([response.status, response.json.code]).toEqual([415, "unsupported_media_type"]);
      }
      const headers = { "content-type": "multipart/form-data; boundary=b" };
      const response = await call("POST", path, { token: who.token, headers, body: "--b" });
      expect([response.status, response.json.code]).toEqual([400, "invalid_request"]);
    }
    const encoded = new Response(fontForm({ files: [{}, { weight: 700 }] }));
    const type = encoded.headers.get("content-type") ?? "";
    const whole = new Uint8Array(await encoded.arrayBuffer());
    for (const length of [20, 700, 1_300, whole.byteLength - 4]) {
      const cut = await call("POST", "/api/v1/fonts", {
        token: who.token,
        body: whole.slice(0, length),
        headers: { "content-type": type },
      });
      expect([cut.status, cut.json.code], String(length)).toEqual([400, "invalid_request"]);
    }
    const send = async (change: (form: FormData) => void) => {
      const form = fontForm();
      change(form);
      const response = await call("POST", "/api/v1/fonts", { token: who.token, body: form });
      return [response.status, response.json.code, response.json.errors?.[0]?.field];
    };
    const wrong = (field: string, value: string | File) =>
      send((form) => form.append(field, value as File));
    expect(await wrong("file", new File(["x"], "x.ttf"))).toEqual([
      400,
      "validation_error",
      "file",
    ]);
    expect(await wrong("files", "text")).toEqual([400, "validation_error", "files"]);
    expect(await wrong("category", "serif")).toEqual([400, "validation_error", "category"]);
    expect((await wrong("note", "x".repeat(70_000)))[1]).toBe("invalid_request");
    expect(
      await send((form) => {
        for (let i = 0; i < 25; i++) {
          form.append(`note${i}`, "x");
        }
      }),
    ).toEqual([400, "invalid_request", undefined]);
    expect(await keysOf(who.workspaceId)).toEqual(keys);
    expect(await api.bytesInUse()).toBe(makeFont().byteLength);
  });

  it("reports every problem of its fields at once", async () => {
    const response = await api.create({ fields: { displayName: "", category: "x" } });
    expect(response.json.errors.map(({ field }: { field: string }) => field)).toEqual([
      "displayName",
      "category",
    ]);
  });

  it("above the quota, which counts fonts, is refused", async () => {
    const who = await newCaller();
    const api = new FontApi(who);
    const operator = "the-operator-token-of-the-tests";
    await call("PUT", "/admin/v1/plans/font-sized", {
      token: operator,
      json: { limits: { max_storage_bytes: 2_000, requests_per_minute: 10_000 } },
    });
    await call("PUT", `/admin/v1/workspaces/${who.workspaceId}/plan`, {
      token: operator,
      json: { plan: "font-sized" },
    });
    const size = makeFont().byteLength;
    const made = await api.create();
    expect(made.status).toBe(201);
    expect(await api.bytesInUse()).toBe(size);
    const over = await api.create({
      ...named("Another"),
      files: [1, 2, 3].map((i) => ({ weight: 100 * i + 200, width: i })),
    });
    expect([over.status, over.json.code]).toEqual([402, "quota_exceeded"]);
    const revised = await api.revise(made.json.familyGuid, {
      files: [{}, ...[1, 2, 3].map((i) => ({ weight: 100 * i, width: i }))],
    });
    expect([revised.status, revised.json.code]).toEqual([402, "quota_exceeded"]);
    expect(await keysOf(who.workspaceId)).toHaveLength(1);
    expect(await api.bytesInUse()).toBe(size);
    expect((await uploadAsset(who, "a.txt", "x".repeat(2_000 - size + 1))).json.code).toBe(
      "quota_exceeded",
    );
    expect((await api.get("/api/v1/storage/usage")).json.breakdown).toEqual([
      { category: "font", total_bytes: size, file_count: 1 },
    ]);
  });
});
