import { expect, it } from "vitest";
import { grantFileAccess, hasFileAccess } from "../../../src/platform/file-access.ts";

const SECRET = "a secret of the tests, at least 32 bytes long";
const PRIVATE = { FILE_ACCESS: "private", JWT_SECRET: SECRET };
const URL_ = "https://svc.test/files/ws_1/runs/run_1/t/Z%C3%BCrich%201.png";
const HOUR = 3_600_000;

it("leaves addresses unchanged if they are public", () => {
  expect(grantFileAccess({ JWT_SECRET: SECRET }, URL_, 0)).toEqual({
    url: URL_,
    expiresAtMs: null,
  });
  expect(hasFileAccess({ JWT_SECRET: SECRET }, URL_, 0)).toBe(true);
});

it("signs private addresses for an hour, for that path and that secret only", () => {
  const { url, expiresAtMs } = grantFileAccess(PRIVATE, URL_, 0);
  expect(expiresAtMs).toBe(HOUR);
  expect(hasFileAccess(PRIVATE, url, HOUR - 1)).toBe(true);
  expect(hasFileAccess(PRIVATE, `${url}&name=x`, 0)).toBe(true);
  expect(hasFileAccess(PRIVATE, url, HOUR)).toBe(false);
  for (const altered of [
    URL_,
    url.replace("%201.png", "%202.png"),
    url.replace("expires=3600", "expires=9999"),
    url.replace(/signature=./, "signature=_"),
    `${URL_}?expires=NaN&signature=x`,
  ]) {
    expect(hasFileAccess(PRIVATE, altered, 0), altered).toBe(false);
  }
  expect(hasFileAccess({ ...PRIVATE, JWT_SECRET: `${SECRET}!` }, url, 0)).toBe(false);
  expect(grantFileAccess(PRIVATE, "/files/a", 0).url).toMatch(
    /^\/files\/a\?expires=3600&signature=/,
  );
});
