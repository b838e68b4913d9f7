import { beforeAll, describe, expect, it } from "vitest";
import { type Caller, newCaller } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";
import { FontApi } from "../../support/fonts/font-api.ts";
import { makeFont } from "../../support/fonts/make-font.ts";

let caller: Caller;
let api: FontApi;
beforeAll(async () => {
  caller = await newCaller();
  api = new FontApi(caller);
});

const named = (displayName: string) => ({ fields: { displayName } });

describe("a revision", () => {
  it("follows the earlier ones, which stay, and shares unchanged bytes", async () => {
    const who = await newCaller();
    const api = new FontApi(who);
    const first = await api.create({ files: [{}, { weight: 700 }] });
    const { familyGuid } = first.json;
    const before = (await api.own())[0];
    const second = await api.revise(familyGuid, { files: [{ weight: 700, width: 7 }, {}] });
    expect([second.status, second.json]).toMatchObject([
      201,
      { familyGuid, revisionNumber: 2, fileCount: 2, family: "Test Sans" },
    ]);
    expect(second.json.versionGuid).not.toBe(first.json.versionGuid);
    expect(second.json.fingerprint).not.toBe(first.json.fingerprint);
    const after = (await api.own())[0];
    expect(after).toMatchObject({ revisionNumber: 2, versionGuid: second.json.versionGuid });
    expect(after.files[0].sha256).toBe(before.files[0].sha256);
    expect(after.files[0].fileGuid).not.toBe(before.files[0].fileGuid);
    expect(await keysOf(who.workspaceId), "the regular is kept once").toHaveLength(3);
    expect(await api.bytesInUse()).toBe(3 * makeFont().byteLength);
    for (const file of [...before.files, ...after.files]) {
      expect(await api.hashAt(file.downloadUrl)).toBe(file.sha256);
    }
  });

  it("that is identical returns the current one and stores nothing", async () => {
    const who = await newCaller();
    const api = new FontApi(who);
    const first = await api.create({ files: [{}, { weight: 700 }] });
    const keys = await keysOf(who.workspaceId);
    const same = await api.revise(first.json.familyGuid, { files: [{ weight: 700 }, {}] });
    expect([same.status, same.json]).toEqual([200, first.json]);
    expect(await keysOf(who.workspaceId)).toEqual(keys);
    // Content that is no longer current makes a revision again.
    await api.revise(first.json.familyGuid, { files: [{}] });
    const back = await api.revise(first.json.familyGuid, { files: [{}, { weight: 700 }] });
    expect([back.status, back.json.revisionNumber]).toEqual([201, 3]);
    expect(back.json.fingerprint).toBe(first.json.fingerprint);
    expect(await keysOf(who.workspaceId)).toEqual(keys);
  });

  it("that several clients send at once is created once", async () => {
    const who = await newCaller();
    const api = new FontApi(who);
    const { familyGuid } = (await api.create({})).json;
    const answers = await Promise.all(
      [1, 2, 3].map(() => api.revise(familyGuid, { files: [{ width: 9 }] })),
    );
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "200", "201"]);
    expect(new Set(answers.map(({ json }) => json.versionGuid)).size).toBe(1);
    expect(await keysOf(who.workspaceId)).toHaveLength(2);
    expect(await api.bytesInUse()).toBe(2 * makeFont().byteLength);
  });

  it("of another family's fonts is refused", async () => {
    const { familyGuid } = (await api.create({ ...named("Not Serif") })).json;
    const response = await api.revise(familyGuid, {
      ...named("Not Serif"),
      files: [{ family: "Test Serif" }],
    });
    expect([response.status, response.json.code]).toEqual([400, "FONT_FAMILY_MISMATCH"]);
  });
});

describe("an archived family", () => {
  it("is hidden from lists and accepts no revision; its files stay, and archiving it again changes nothing", async () => {
    const who = await newCaller();
    const api = new FontApi(who);
    const { familyGuid } = (await api.create({})).json;
    const file = (await api.own())[0].files[0];
    const first = await api.archive(familyGuid);
    expect([first.status, first.json.status, first.json.files]).toEqual([200, "archived", [file]]);
    const again = await api.archive(familyGuid);
    expect([again.status, again.json]).toEqual([200, first.json]);
    expect(await api.own()).toEqual([]);
    expect(await api.hashAt(file.downloadUrl)).toBe(file.sha256);
    const revised = await api.revise(familyGuid, { files: [{ width: 2 }] });
    expect([revised.status, revised.json.code]).toEqual([422, "invalid_state"]);
  });
});
