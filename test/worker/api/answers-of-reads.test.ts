/** Documented refusals of plain reads. */
import { expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";

test.each([
  ["DELETE", "/api/v1/assets?path=a.png&paht=b.png"],
  ["GET", "/api/v1/assets/download-url?path=a.png&paht=b.png"],
])("%s of a file rejects an unknown parameter", async (method, path) => {
  const { token } = await newCaller();
  const response = await call(method, path, { token });
  expect([response.status, response.json.code]).toEqual([400, "validation_error"]);
  expect(response.json.errors[0].field).toBe("paht");
});

test("a font file rejects a conditional read of other bytes", async () => {
  const { token } = await newCaller();
  const { json } = await call("GET", "/api/v1/fonts?scope=system&limit=1", { token });
  const [family] = json.data;
  const byVariant = `/api/v1/fonts/${family.familyGuid}/versions/${family.versionGuid}/variants/400`;
  for (const path of [new URL(family.files[0].downloadUrl).pathname, byVariant]) {
    const headers = { "if-match": '"other bytes"' };
    const response = await call("GET", path, { token, headers });
    expect([response.status, response.json.code], path).toEqual([412, "precondition_failed"]);
  }
});
