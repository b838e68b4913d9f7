import { beforeAll, expect, test } from "vitest";
import { SCHEMA_REFS } from "../../../src/domain/catalog/json-schemas.ts";
import { listCodes } from "../../../src/domain/errors/list-codes.ts";
import { compileSchema } from "../../../src/expressions/json-schema.ts";
import { type JsonValue, parseJson } from "../../../src/lib/json/exact-json.ts";
import { call, type Caller, newCaller } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";

let caller: Caller;
let csv: string;
beforeAll(async () => {
  caller = await newCaller();
  csv = String((await upload(caller, "p.csv", "sku,price\na,1.50\nb,x\n")).json.path);
});

/** Compiled by a validator that does not use the schemas from which the responses are made. */
async function servedCheck(ref: string) {
  const { status, text } = await call("GET", `/api/v1/json-schemas/${ref}`, {
    token: caller.token,
  });
  expect([ref, status]).toEqual([ref, 200]);
  return compileSchema(parseJson(text));
}

test("every contract is served, and rejects other values", async () => {
  expect(SCHEMA_REFS).toEqual(
    expect.arrayContaining([
      "svc.bundle-manifest/v1",
      "svc.dataset/v1",
      "svc.dataset-profile/v1",
      "svc.font-reference/v1",
      "svc.quality-check/v1",
      "svc.quality-policy/v1",
    ]),
  );
  for (const ref of SCHEMA_REFS) {
    const check = await servedCheck(ref);
    expect(check({ schema: "svc.another/v1" }).length, ref).toBeGreaterThan(0);
    expect(check([]).length, ref).toBeGreaterThan(0);
  }
});

test("an inspection's profile and a composed manifest match their schemas", async () => {
  const inspected = await call("POST", "/api/v1/structured-data/inspect", {
    token: caller.token,
    json: { asset_path: csv },
  });
  const composed = await call("POST", "/api/v1/bundle-manifests/compose", {
    token: caller.token,
    json: { bundle_id: "b", assets: [{ asset_path: csv }] },
  });
  for (const response of [inspected, composed]) {
    const body = parseJson(response.text) as { readonly [key: string]: JsonValue };
    const check = await servedCheck(body["schema"] as string);
    expect(check(body)).toEqual([]);
    const { schema: _schema, ...without } = body;
    expect(check(without).length).toBeGreaterThan(0);
  }
  expect(inspected.json.warnings[0].code).toBe("COLUMN_MIXED");
});

test("every code has its page, grouped by topic in the list", async () => {
  const { text: list } = await call("GET", "/docs/errors");
  for (const { code, topic, cause } of listCodes()) {
    expect(list, code).toContain(`<code>${code}</code>`);
    expect(list).toContain(`id="${topic}"`);
    const page = await call("GET", `/docs/errors/${code}`);
    expect([code, page.status]).toEqual([code, 200]);
    expect(page.text, code).toContain(cause.slice(0, 12).replaceAll(/[`'"&<].*/g, ""));
  }
  expect((await call("GET", "/docs/errors/constructor")).status).toBe(404);
});
