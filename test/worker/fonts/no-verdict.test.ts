import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createFontFamily } from "../../../src/domain/fonts/create-font-family.ts";
import type { CallerContext } from "../../../src/platform/context.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { newCaller } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";
import { FontApi } from "../../support/fonts/font-api.ts";
import { fontForm } from "../../support/fonts/font-form.ts";

it("refuses a font without a result of the runner's check, and keeps nothing of it", async () => {
  const who = await newCaller();
  const asked: string[] = [];
  const check = async ({ key }: { readonly key: string }) => {
    asked.push(key);
    expect(await env.FILES.head(key), "the bytes are there to be judged").not.toBe(null);
    throw new Error("the runner is gone");
  };
  const bindings = { ...env, FONT_CHECKER: { check } } as unknown as typeof env;
  const ctx = {
    ...createContext(bindings, "test", "http://svc.test", () => undefined),
    principal: {
      keyId: who.clientId,
      workspaceId: who.workspaceId,
      organizationId: who.organizationId,
    },
  } as CallerContext;
  const form = new Response(fontForm());
  const whole = new Uint8Array(await form.arrayBuffer());
  const pieces = [whole];
  await expect(
    createFontFamily(ctx, {
      contentType: form.headers.get("content-type"),
      read: () => Promise.resolve(pieces.pop()),
    }),
  ).rejects.toMatchObject({
    code: "service_unavailable",
    headers: { "retry-after": expect.stringMatching(/^\d+$/) },
  });
  expect(asked).toHaveLength(1);
  expect(await keysOf(who.workspaceId)).toEqual([]);
  const api = new FontApi(who);
  expect([await api.own(), await api.bytesInUse()]).toEqual([[], 0]);
});
