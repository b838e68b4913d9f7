import { expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";

const { token } = await newCaller();
const get = (path: string, headers: Record<string, string> = {}) =>
  call("GET", `/api/v1/${path}`, { token, headers });

test("the catalog's responses are English, have a tag, and are 304 for clients that have them", async () => {
  for (const path of [
    "node-types",
    "node-types?search=json",
    "node-types/utility/calculate",
    "json-schemas/svc.quality-check/v1",
  ]) {
    const first = await get(path);
    expect([first.status, first.headers.get("content-language")], path).toEqual([200, "en"]);
    const etag = first.headers.get("etag") ?? "";
    const again = await get(path, { "if-none-match": etag });
    expect([again.status, again.text, again.headers.get("etag")], path).toEqual([304, "", etag]);
    expect((await get(path, { "if-none-match": '"another"' })).text, path).toBe(first.text);
  }
});

test("unknown catalog entries are 404, including prototype names", async () => {
  for (const path of [
    "node-types/utility/none",
    "node-types/__proto__/constructor",
    "json-schemas/svc.none/v1",
    "json-schemas/constructor",
  ]) {
    const { status, json } = await get(path);
    expect([status, json.code], path).toEqual([404, "not_found"]);
  }
});
