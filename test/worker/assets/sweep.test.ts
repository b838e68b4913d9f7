import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { sweepUnfinishedAssets } from "../../../src/domain/assets/sweep-unfinished-assets.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { AssetStore } from "../../../src/storage/d1/asset-store.ts";
import { newCaller } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";

it("deletes leftovers of a crash, and keeps files that are still arriving", async () => {
  const { workspaceId } = await newCaller();
  const store = new AssetStore(env, workspaceId);
  const begin = async (name: string, nowMs: number) => {
    const key = `${workspaceId}/assets/${name}`;
    await env.FILES.put(key, "x");
    const asset = { path: `assets/${workspaceId}/${name}`, key, name, kind: "document" };
    await store.begin({ ...asset, contentType: "text/plain", sizeBytes: 10, nowMs }, null);
  };
  await begin("old.txt", Date.now() - 7 * 60 * 60 * 1000);
  await begin("new.txt", Date.now());
  expect((await store.usage()).asset_bytes).toBe(20);
  const ctx = createContext(env, "test", "", () => undefined);
  expect(await sweepUnfinishedAssets(ctx)).toBe(1);
  expect(await keysOf(workspaceId)).toEqual([`${workspaceId}/assets/new.txt`]);
  expect((await store.usage()).asset_bytes).toBe(10);
  expect(await sweepUnfinishedAssets(ctx)).toBe(0);
});
