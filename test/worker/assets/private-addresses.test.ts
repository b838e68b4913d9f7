import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createApp } from "../../../src/api/app.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { newCaller, ORIGIN } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";

it("signs an asset's address for an hour where the deployment is private, and serves no other", async () => {
  const app = createApp(ENDPOINTS);
  const caller = await newCaller();
  const { path } = (await upload(caller, "Geheim 1.txt", "secret")).json;
  const get = (url: string) =>
    app.fetch(
      new Request(url, { headers: { authorization: `Bearer ${caller.token}` } }),
      { ...env, FILE_ACCESS: "private" },
      createExecutionContext(),
    );
  const asked = await get(`${ORIGIN}/api/v1/assets/download-url?path=${encodeURIComponent(path)}`);
  const { url, expires_at: expiresAt } = (await asked.json()) as {
    url: string;
    expires_at: string;
  };
  const lifeMs = Date.parse(expiresAt) - Date.now();
  expect(lifeMs).toBeGreaterThan(3_590_000);
  expect(lifeMs).toBeLessThanOrEqual(3_600_000);
  const served = await get(url);
  expect([served.status, await served.text()]).toEqual([200, "secret"]);
  for (const altered of [
    url.split("?")[0] ?? "",
    url.replace(/signature=.{5}/, "signature=AAAAA"),
  ]) {
    expect((await get(altered)).status).toBe(403);
  }
});
