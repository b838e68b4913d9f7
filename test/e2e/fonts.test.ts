/** A real family through the whole service and over HTTP, HarfBuzz included, with a restart in between. */
import "../support/only-in-proof.ts";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { FontFamily, FontFamilyList, FontRevision } from "../../src/contracts/files/font.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";

const PACKAGE = fileURLToPath(
  new URL("../../node_modules/@expo-google-fonts/noto-serif/", import.meta.url),
);
const VARIANTS = {
  "400": "400Regular/NotoSerif_400Regular.ttf",
  "400-italic": "400Regular_Italic/NotoSerif_400Regular_Italic.ttf",
  "700": "700Bold/NotoSerif_700Bold.ttf",
  "700-italic": "700Bold_Italic/NotoSerif_700Bold_Italic.ttf",
} as const;
type Variant = keyof typeof VARIANTS;
/** In the order of lists: by weight, upright first. */
const ALL: readonly Variant[] = ["400", "400-italic", "700", "700-italic"];

let service: RunningService;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-fonts-"));
  service = await startService({ directory });
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

const bytesOf = (variant: Variant) => readFile(PACKAGE + VARIANTS[variant]);
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function upload(path: string, variants: readonly Variant[]): Promise<[number, FontRevision]> {
  const form = new FormData();
  form.append("displayName", "House Serif");
  form.append("category", "serif");
  form.append("licenseAcknowledged", "true");
  for (const variant of variants) {
    form.append("files", new File([await bytesOf(variant)], `serif-${variant}.ttf`));
  }
  const response = await fetch(service.baseUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${await service.client.token()}` },
    body: form,
  });
  return [response.status, (await response.json()) as FontRevision];
}

const families = async () =>
  (await service.client.call<FontFamilyList>("GET", "/api/v1/fonts?scope=workspace")).data;

/** Downloads every file of a family and compares it with the bytes that were sent. */
async function holdFiles(family: FontFamily, variants: readonly Variant[]): Promise<void> {
  expect(family.files.map(({ variant }) => variant)).toEqual(variants);
  const { origin } = new URL(service.baseUrl);
  for (const { variant, downloadUrl, sha256: digest, sizeBytes } of family.files) {
    const sent = await bytesOf(variant as Variant);
    const response = await fetch(origin + new URL(downloadUrl).pathname, {
      headers: { authorization: `Bearer ${await service.client.token()}` },
    });
    const got = Buffer.from(await response.arrayBuffer());
    expect([response.status, got.equals(sent), digest, sizeBytes]).toEqual([
      200,
      true,
      sha256(sent),
      sent.byteLength,
    ]);
    expect((await fetch(downloadUrl)).status, "without the token").toBe(401);
  }
}

it("keeps a family, its revisions and all their bytes over a restart", async () => {
  const [status, first] = await upload("/api/v1/fonts", ALL);
  expect([status, first]).toMatchObject([
    201,
    { revisionNumber: 1, family: "Noto Serif", fileCount: 4 },
  ]);
  const [before] = await families();
  await holdFiles(before!, ALL);

  await service.kill();
  service = await startService({ directory });

  // The address of the service may have changed; everything else is the same.
  const plain = (family: FontFamily | undefined) =>
    JSON.stringify(family).replaceAll(/"downloadUrl":"https?:\/\/[^/]*/g, "");
  const [after] = await families();
  expect(plain(after)).toBe(plain(before));
  await holdFiles(after!, ALL);

  const revisions = `/api/v1/fonts/${first.familyGuid}/revisions`;
  expect(await upload(revisions, ALL.toReversed())).toEqual([200, first]);
  const two: readonly Variant[] = ["400", "700"];
  const [revised, second] = await upload(revisions, two);
  expect([revised, second]).toMatchObject([201, { revisionNumber: 2, fileCount: 2 }]);
  await holdFiles((await families())[0]!, two);
  const [taken] = await upload("/api/v1/fonts", two);
  expect(taken).toBe(409);

  await service.client.call("POST", `/api/v1/fonts/${first.familyGuid}/archive`);
  expect(await families()).toEqual([]);
  await holdFiles(after!, ALL);
});
