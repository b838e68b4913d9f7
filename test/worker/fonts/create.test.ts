import { beforeAll, describe, expect, it } from "vitest";
import { sha256HexOfBytes } from "../../../src/lib/sha256.ts";
import { call, type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { keysOf, upload } from "../../support/asset-form.ts";
import { FontApi } from "../../support/fonts/font-api.ts";
import { makeFont } from "../../support/fonts/make-font.ts";

let caller: Caller;
let api: FontApi;
beforeAll(async () => {
  caller = await newCaller();
  api = new FontApi(caller);
});

const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const FOUR = [{ weight: 700, isItalic: true }, { weight: 700 }, { isItalic: true }, {}] as const;
const named = (displayName: string) => ({ fields: { displayName } });

describe("a new family", () => {
  it("reads variants and family from the fonts, and returns every file byte by byte", async () => {
    const who = await newCaller();
    const api = new FontApi(who);
    const made = await api.create({ ...named("My Sans"), files: FOUR });
    expect([made.status, made.json]).toEqual([
      201,
      {
        familyGuid: expect.stringMatching(GUID),
        versionGuid: expect.stringMatching(GUID),
        revisionNumber: 1,
        family: "Test Sans",
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        fileCount: 4,
      },
    ]);
    const families = await api.own();
    const [family] = families;
    expect([families.length, family]).toMatchObject([
      1,
      {
        familyGuid: made.json.familyGuid,
        family: "Test Sans",
        displayName: "My Sans",
        category: "sans-serif",
        scope: "workspace",
        status: "active",
        systemFallbackFamilyGuid: null,
        versionGuid: made.json.versionGuid,
        revisionNumber: 1,
      },
    ]);
    expect(family.files.map(({ variant }: { variant: string }) => variant)).toEqual([
      "400",
      "400-italic",
      "700",
      "700-italic",
    ]);
    for (const [i, spec] of [{}, { isItalic: true }, { weight: 700 }, FOUR[0]].entries()) {
      const file = family.files[i];
      const bytes = makeFont(spec);
      const sha256 = await sha256HexOfBytes(bytes);
      expect(file).toEqual({
        fileGuid: expect.stringMatching(GUID),
        variant: file.variant,
        weight: spec.weight ?? 400,
        style: spec.isItalic === true ? "italic" : "normal",
        format: "ttf",
        sizeBytes: bytes.byteLength,
        sha256,
        downloadUrl: `${ORIGIN}/api/v1/fonts/${family.familyGuid}/versions/${family.versionGuid}/files/${file.fileGuid}`,
        reference: {
          schema: "svc.font-reference/v1",
          familyGuid: family.familyGuid,
          versionGuid: family.versionGuid,
          fileGuid: file.fileGuid,
          variant: file.variant,
          sha256,
        },
      });
      expect(await api.hashAt(file.downloadUrl)).toBe(sha256);
      const byVariant = `${ORIGIN}/api/v1/fonts/${family.familyGuid}/versions/${family.versionGuid}/variants/${file.variant}`;
      expect(await api.hashAt(byVariant)).toBe(sha256);
    }
  });

  it("accepts its form in any order, with unknown fields", async () => {
    const form = new FormData();
    form.append("files", new File([makeFont({ weight: 300 })], "light.TTF"));
    form.append("note", "hello");
    form.append("licenseAcknowledged", "True");
    form.append("displayName", "  Order\u0301 ");
    form.append("files", new File([makeFont()], "no extension"));
    form.append("category", "display");
    const made = await call("POST", "/api/v1/fonts", { token: caller.token, body: form });
    expect([made.status, made.json.fileCount]).toEqual([201, 2]);
    const { data } = (await api.get("/api/v1/fonts?query=Orde&scope=workspace")).json;
    expect(data[0]).toMatchObject({ displayName: "Ordeŕ", category: "display" });
  });

  it("refers to a system family as fallback, with either spelling of its GUID", async () => {
    const system = (await api.get("/api/v1/fonts?scope=system")).json.data[0];
    const bare = system.familyGuid.replaceAll("-", "").toUpperCase();
    const made = await api.create({
      fields: { displayName: "Falls back", systemFallbackFamilyGuid: bare },
    });
    expect(made.status).toBe(201);
    const found = (await api.get("/api/v1/fonts?query=falls%20BACK")).json.data[0];
    expect(found.systemFallbackFamilyGuid).toBe(system.familyGuid);
    const { familyGuid } = made.json;
    const again = (value: string | undefined) =>
      api.revise(familyGuid, {
        fields: { displayName: "Falls back", systemFallbackFamilyGuid: value },
      });
    const fallback = async () =>
      (await api.get("/api/v1/fonts?query=falls%20back")).json.data[0].systemFallbackFamilyGuid;
    await again(undefined);
    expect(await fallback(), "left out: as it was").toBe(system.familyGuid);
    await again("");
    expect(await fallback(), "empty: taken away").toBe(null);
  });
});

it("is suggested to callers who upload a font as an asset", async () => {
  for (const name of ["font.ttf", "font.OTF", "font.woff2"]) {
    const response = await upload(caller, name, makeFont());
    expect([response.status, response.json.code], name).toEqual([400, "invalid_file_type"]);
    expect(response.json.detail).toContain("POST /api/v1/fonts");
  }
});

describe("a family's name", () => {
  it("is unique ignoring case, and an archived family keeps it", async () => {
    const made = await api.create({ ...named("Straße Sans") });
    const taken = async (displayName: string) => {
      const response = await api.create({ ...named(displayName), files: [{ width: 321 }] });
      return [response.status, response.json.code, response.json.familyGuid];
    };
    const conflict = [409, "FONT_FAMILY_ALREADY_EXISTS", made.json.familyGuid];
    expect(await taken("STRASSE sans")).toEqual(conflict);
    await api.archive(made.json.familyGuid);
    expect(await taken("Straße Sans")).toEqual(conflict);
    expect((await api.create({ ...named("Straße Sans") }, await newCaller())).status).toBe(201);
  });

  it("goes to one of two concurrent uploads, and the other leaves nothing", async () => {
    const who = await newCaller();
    const api = new FontApi(who);
    const answers = await Promise.all(
      [1, 2, 3].map((width) => api.create({ ...named("Race"), files: [{ width }] })),
    );
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["201", "409", "409"]);
    expect(await keysOf(who.workspaceId)).toHaveLength(1);
    expect(await api.bytesInUse()).toBe(makeFont().byteLength);
  });

  it("may change with a revision, to one that no other family has", async () => {
    const first = await api.create({ ...named("First name") });
    await api.create({ ...named("Taken name") });
    const taken = await api.revise(first.json.familyGuid, {
      ...named("TAKEN name"),
      files: [{ width: 5 }],
    });
    expect([taken.status, taken.json.code]).toEqual([409, "FONT_FAMILY_ALREADY_EXISTS"]);
    const renamed = await api.revise(first.json.familyGuid, {
      fields: { displayName: "first NAME", category: "serif" },
      files: [{ width: 5 }],
    });
    expect([renamed.status, renamed.json.revisionNumber]).toEqual([201, 2]);
    const found = (await api.get("/api/v1/fonts?query=first%20name")).json.data[0];
    expect(found).toMatchObject({ displayName: "first NAME", category: "serif" });
  });
});
