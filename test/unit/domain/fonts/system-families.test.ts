import { describe, expect, it } from "vitest";
import { describeSystemFamily } from "../../../../scripts/describe-system-family.ts";
import { SYSTEM_FONT_SOURCES } from "../../../../scripts/system-font-sources.ts";
import { SYSTEM_FAMILIES } from "../../../../src/domain/fonts/system-families.ts";

const files = SYSTEM_FAMILIES.flatMap((family) => family.files.map((file) => ({ family, file })));

describe("system families", () => {
  it("cover every category, each with a regular variant and an open license", () => {
    expect(new Set(SYSTEM_FAMILIES.map(({ category }) => category))).toEqual(
      new Set(["display", "handwriting", "monospace", "sans-serif", "serif"]),
    );
    for (const { files: own, license } of SYSTEM_FAMILIES) {
      expect(own[0]).toMatchObject({ variant: "400", weight: 400, style: "normal" });
      expect(license).toBe("OFL-1.1");
    }
  });

  it("match the files of the installed packages", async () => {
    const installed = await Promise.all(SYSTEM_FONT_SOURCES.map(describeSystemFamily));
    expect(SYSTEM_FAMILIES).toEqual(installed);
  });

  it("have ids of their own, as UUIDs", () => {
    const ids = [
      ...SYSTEM_FAMILIES.flatMap(({ familyGuid, versionGuid }) => [familyGuid, versionGuid]),
      ...files.map(({ file }) => file.fileGuid),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it("keep their ids, which refer permanently to a family or a file", () => {
    expect(
      Object.fromEntries(SYSTEM_FAMILIES.map((it) => [it.displayName, it.familyGuid])),
    ).toEqual({
      "Noto Sans": "28a929ad-05d4-855e-af4e-15cf2a8411d7",
      "Noto Serif": "4e589c53-c0b5-88dc-9dc6-f90b39c7bab3",
      "Source Code Pro": "e3e24f94-162b-87a7-bad9-23a7f4301239",
      Oswald: "1c6abe49-3fb5-834f-8e36-3ef0e9546db6",
      Caveat: "6fd81305-b4a1-84a3-b97f-c65f7004d6a0",
      "Noto Sans Arabic": "f2000472-8e13-8e7e-b79f-4ebebcef3081",
      "Noto Sans Hebrew": "6d84fe7f-3b56-800d-89bb-d96764e99f17",
      "Noto Sans Thai": "6dcc3241-d25b-8c56-a5e9-c1924c57a569",
    });
  });
});
