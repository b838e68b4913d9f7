/**
 * Every `svc.` contract that a response names is served, and the objects that name it match the served schema.
 * No response names `svc.dataset/v1`, since datasets pass between nodes only, and none contains a quality policy.
 */
import { expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { compileSchema } from "../../src/expressions/json-schema.ts";
import { type JsonValue, parseJson } from "../../src/lib/json/exact-json.ts";
import { sharedService } from "../support/node/shared-service.ts";

type JsonObject = { readonly [key: string]: JsonValue };

interface Named {
  readonly ref: string;
  readonly value: JsonObject;
}

/** All objects inside a response that name their contract. */
function named(value: JsonValue, found: Named[] = []): Named[] {
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      named(item, found);
    }
  } else if (typeof value === "object" && value !== null) {
    const object = value as JsonObject;
    const { schema } = object;
    if (typeof schema === "string" && schema.startsWith("svc.")) {
      found.push({ ref: schema, value: object });
    }
    for (const inner of Object.values(object)) {
      named(inner, found);
    }
  }
  return found;
}

const WORKFLOW = {
  name: "Named contracts",
  definition: {
    nodes: [
      { id: "words", type: "input/text", parameters: { default: "hello" } },
      { id: "code", type: "image/code", parameters: { symbology: "qr" } },
      { id: "check", type: "output/json", parameters: { key: "check" } },
    ],
    connections: [
      { from: { node: "words", port: "text" }, to: { node: "code", port: "text" } },
      { from: { node: "code", port: "check" }, to: { node: "check", port: "json" } },
    ],
  },
};

it("holds real quality checks, font references, profiles and manifests to their served schemas", async () => {
  const { client } = await sharedService();
  const asset = await uploadAsset(client, "rows.csv", "sku,price\na,1.50\nb,x\n");
  const workflow = await publish(client, WORKFLOW);
  const run = await client.call<{ id: string; status: string }>("POST", "/api/v1/executions", {
    body: { workflow, inputs: {} },
    headers: { prefer: "wait=30" },
  });
  expect(run.status).toBe("completed");
  const calls: readonly (readonly [method: string, path: string, body?: unknown])[] = [
    ["GET", `/api/v1/executions/${run.id}/result`],
    ["GET", `/api/v1/executions/${run.id}/outputs`],
    ["GET", "/api/v1/fonts?scope=system"],
    ["POST", "/api/v1/structured-data/inspect", { asset_path: asset }],
    [
      "POST",
      "/api/v1/bundle-manifests/compose",
      { bundle_id: "b", assets: [{ asset_path: asset }] },
    ],
  ];
  const answers = await Promise.all(
    calls.map(async ([method, path, body]) => {
      const response = await client.send(method, path, { body });
      expect([path, response.status]).toEqual([path, 200]);
      return parseJson(await response.text());
    }),
  );
  const seen = new Set<string>();
  for (const { ref, value } of named(answers)) {
    const served = await client.send("GET", `/api/v1/json-schemas/${ref}`);
    expect([ref, served.status]).toEqual([ref, 200]);
    const check = await compileSchema(parseJson(await served.text()));
    expect(check(value), ref).toEqual([]);
    // The schema detects a missing member.
    const { schema: _schema, ...without } = value;
    expect(check(without), ref).not.toEqual([]);
    seen.add(ref);
  }
  expect([...seen].toSorted()).toEqual([
    "svc.bundle-manifest/v1",
    "svc.dataset-profile/v1",
    "svc.font-reference/v1",
    "svc.quality-check/v1",
  ]);
});
