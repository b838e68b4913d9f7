import { expect, it } from "vitest";
import { call, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";

it("signs an asset's address for an hour in a private deployment, and serves no other", async () => {
  const { token, ...caller } = await newCaller();
  const { path } = (await upload({ token, ...caller }, "Geheim 1.txt", "secret")).json;
  const get = (address: string) => call("GET", address, { token, env: { FILE_ACCESS: "private" } });
  const asked = await get(`/api/v1/assets/download-url?path=${encodeURIComponent(path)}`);
  const lifeMs = Date.parse(asked.json.expires_at) - Date.now();
  expect(lifeMs).toBeGreaterThan(3_590_000);
  expect(lifeMs).toBeLessThanOrEqual(3_600_000);
  const address = String(asked.json.url).slice(ORIGIN.length);
  const served = await get(address);
  expect([served.status, served.text]).toEqual([200, "secret"]);
  for (const altered of [
    address.split("?")[0] ?? "",
    address.replace(/signature=.{5}/, "signature=AAAAA"),
  ]) {
    const refused = await get(altered);
    expect([refused.status, refused.json.code]).toEqual([403, "forbidden"]);
  }
});
