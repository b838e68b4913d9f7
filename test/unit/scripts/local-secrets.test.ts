import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadSecrets } from "../../../scripts/local-secrets.ts";
import { parseSecretKeys } from "../../../src/platform/provider-secrets.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "edgeloom-secrets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a folder of an earlier release keeps its secrets and gets the missing one, once", async () => {
  const path = join(folder, "secrets.json");
  const earlier = { jwt_secret: "kept-jwt", admin_token: "kept-admin" };
  await writeFile(path, JSON.stringify(earlier));
  const first = await loadSecrets(folder);
  expect(first).toMatchObject(earlier);
  expect(parseSecretKeys(first.provider_keys_secret)).toHaveLength(1);
  expect(await loadSecrets(folder)).toEqual(first);
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual(first);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
