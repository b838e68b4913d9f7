/** A bundle of uploaded files in a run: the runner checks it, and the run fans out over its files (docs/contract/bundles.md#validate). */
import { beforeAll, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { Asset } from "../../src/contracts/files/asset.ts";
import type { BundleManifest } from "../../src/contracts/files/bundle-manifest.ts";
import type { Execution } from "../../src/contracts/runs/run.ts";
import { newWorkspaceToken } from "../support/node/new-workspace-token.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

async function upload(name: string, content: string, token?: string): Promise<string> {
  const form = new FormData();
  form.append("file", new File([content], name));
  const response = await fetch(`${service.baseUrl}/api/v1/assets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token ?? (await service.client.token())}` },
    body: form,
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as Asset).path;
}

function workflow(validation: "fail" | "warn") {
  return {
    name: `Bundle: ${validation}`,
    definition: {
      nodes: [
        { id: "files", type: "input/bundle_manifest", label: "files", parameters: { validation } },
        { id: "each", type: "enumerate/json", parameters: { path: "$.assets" } },
        { id: "paths", type: "output/json", parameters: { key: "entries" } },
        { id: "whole", type: "output/json", parameters: { key: "whole" } },
      ],
      connections: [
        { from: { node: "files", port: "bundle" }, to: { node: "each", port: "json" } },
        { from: { node: "each", port: "item" }, to: { node: "paths", port: "json" } },
        { from: { node: "files", port: "bundle" }, to: { node: "whole", port: "json" } },
      ],
    },
  };
}

async function run(id: string, manifest: unknown): Promise<Execution> {
  const inputs = { files: { value: JSON.stringify(manifest) } };
  const runId = await submitRun(service.client, { workflow: id, inputs });
  return await waitForRun(service.client, runId);
}

it("a bundle's accepted files are enumerated; its issues fail the run or are skipped and reported", async () => {
  const paths = [await upload("a.csv", "x,y\n1,2\n"), await upload("b.csv", "x,y\n3,4\n")];
  const manifest = await service.client.call<BundleManifest>(
    "POST",
    "/api/v1/bundle-manifests/compose",
    { body: { bundle_id: "b", assets: paths.map((asset_path) => ({ asset_path })) } },
  );
  const strict = await publish(service.client, workflow("fail"));
  const lenient = await publish(service.client, workflow("warn"));

  const good = await run(strict, manifest);
  expect(good).toMatchObject({ status: "completed" });
  const { result } = await readResult(service.client, good.id);
  expect(result.by_key["entries"]?.items.map(({ value }) => value)).toEqual(manifest.assets);
  expect(result.by_key["whole"]?.value).toEqual({
    ...manifest,
    supplied_asset_count: 2,
    asset_count: 2,
    valid: true,
    issues: [],
  });

  const [first, second] = manifest.assets;
  const wrong = { ...manifest, assets: [{ ...first, sha256: "0".repeat(64) }, second] };
  expect(await run(strict, wrong)).toMatchObject({
    status: "failed",
    error_code: "BUNDLE_INVALID",
    error_message: expect.stringContaining("ASSET_CHECKSUM_MISMATCH at assets[0].sha256"),
  });
  const partly = await run(lenient, wrong);
  expect(partly).toMatchObject({ status: "completed" });
  const left = (await readResult(service.client, partly.id)).result.by_key;
  expect(left["entries"]?.items.map(({ value }) => value)).toEqual([second]);
  expect(left["whole"]?.value).toMatchObject({
    valid: false,
    asset_count: 1,
    issues: [{ code: "ASSET_CHECKSUM_MISMATCH", asset_id: first?.id }],
  });

  const missing = { ...manifest, assets: [{ ...first, storageRef: "storage://assets/none.csv" }] };
  expect(await run(lenient, missing), "never downgraded").toMatchObject({
    status: "failed",
    error_code: "BUNDLE_STORAGE_MISSING",
  });
});

it("a bundle with another workspace's file fails the run, whatever its policy", async () => {
  const token = await newWorkspaceToken(service);
  const theirs = await upload("theirs.csv", "x,y\n5,6\n", token);
  const composed = await fetch(`${service.baseUrl}/api/v1/bundle-manifests/compose`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ bundle_id: "b", assets: [{ asset_path: theirs }] }),
  });
  const manifest = (await composed.json()) as BundleManifest;
  const mine = await service.client.call<BundleManifest>(
    "POST",
    "/api/v1/bundle-manifests/compose",
    { body: { bundle_id: "b", assets: [{ asset_path: await upload("mine.csv", "x\n1\n") }] } },
  );
  const mixed = { ...mine, assets: [...mine.assets, ...manifest.assets] };
  for (const validation of ["fail", "warn"] as const) {
    const response = await service.client.send("POST", "/api/v1/bundle-manifests/validate", {
      body: { manifest: mixed, validation, verify_checksum: "never" },
    });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      403,
      "forbidden",
    ]);
    const id = await publish(service.client, workflow(validation));
    const ended = await run(id, mixed);
    expect(ended, validation).toMatchObject({
      status: "failed",
      error_code: "BUNDLE_STORAGE_FORBIDDEN",
    });
    const { result } = await readResult(service.client, ended.id);
    expect(result.items.every(({ value }) => value === null)).toBe(true);
  }
});
