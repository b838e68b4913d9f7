import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { sweepUnfinishedFonts } from "../../../src/domain/fonts/sweep-unfinished-fonts.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { AssetStore } from "../../../src/storage/d1/asset-store.ts";
import { FontObjectStore } from "../../../src/storage/d1/font-object-store.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";
import { fontForm } from "../../support/fonts/font-form.ts";
import { makeFont } from "../../support/fonts/make-font.ts";
import { HOME_DB } from "../../support/home-database.ts";

const HOUR_MS = 60 * 60 * 1000;

it("deletes leftovers of a crash, and keeps files that are arriving or in use", async () => {
  const { workspaceId, token } = await newCaller();
  await call("POST", "/api/v1/fonts", { token, body: fontForm() });
  const [kept = ""] = await keysOf(workspaceId);
  await HOME_DB.prepare("UPDATE font_objects SET created_at_ms = 0 WHERE key = ?").bind(kept).run();
  const store = new FontObjectStore(env, workspaceId);
  const begin = async (name: string, nowMs: number) => {
    const key = `${workspaceId}/fonts/${name}`;
    await env.FILES.put(key, "x");
    await store.begin(key, nowMs, null);
    await store.measure(key, { sha256: name, sizeBytes: 10 }, null);
  };
  await begin("old", Date.now() - 7 * HOUR_MS);
  await begin("young", Date.now());
  const held = async () => (await new AssetStore(env, workspaceId).usage()).asset_bytes;
  expect(await held()).toBe(makeFont().byteLength + 20);
  const ctx = createContext(env, "test", "", () => undefined);
  expect(await sweepUnfinishedFonts(ctx)).toBe(1);
  expect(new Set(await keysOf(workspaceId))).toEqual(new Set([kept, `${workspaceId}/fonts/young`]));
  expect(await held()).toBe(makeFont().byteLength + 10);
  expect(await sweepUnfinishedFonts(ctx)).toBe(0);
});
