import { expect, test } from "vitest";
import { mayReplace, rightsOf } from "../../../../src/web/editor/token-rights.ts";

function tokenOf(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
}

test("the editor offers what the token permits, and everything for a token that it cannot read", () => {
  const permissions = ["ws:workflows:read", "ws:executions:create"];
  expect(rightsOf(tokenOf({ permissions, name: "Zoë" }))).toEqual({ canEdit: false, canRun: true });
  expect(rightsOf(tokenOf({ permissions: ["ws:workflows:manage"] }))).toEqual({
    canEdit: true,
    canRun: false,
  });
  for (const odd of ["", "a.b.c", tokenOf([]), tokenOf({ permissions: "all" })]) {
    expect(rightsOf(odd)).toEqual({ canEdit: true, canRun: true });
  }
});

test("a token replaces another one of the same kind and workspace only", () => {
  const own = { sub: "embed_editor", ws_id: "ws_1", org_id: "org_1", jti: "emb_1" };
  expect(mayReplace(tokenOf(own), tokenOf({ ...own, jti: "emb_2" }))).toBe(true);
  expect(mayReplace(tokenOf(own), tokenOf({ ...own, ws_id: "ws_2" }))).toBe(false);
  expect(mayReplace(tokenOf(own), tokenOf({ ...own, sub: "embed" }))).toBe(false);
  expect(mayReplace(tokenOf(own), "no token")).toBe(false);
});
