/** Addresses of outputs, archives and assets over HTTP, in private and in public deployments; and disabled upload sessions. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fetchZip } from "../../scripts/fetch-zip.ts";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { grantFileAccess } from "../../src/platform/file-access.ts";
import { newWorkspaceToken } from "../support/node/new-workspace-token.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";

const HOUR_MS = 3_600_000;
/** Too long for a row, so it is stored in R2. */
const WORDS = "only for those who were given the address ".repeat(2_000);
/** Stored in a row of the run, with an address since it exceeds the values that an execution carries. */
const ROWS = 40;

const DEFINITION = {
  nodes: [
    { id: "words", type: "input/text", label: "words", parameters: { required: true } },
    { id: "each", type: "enumerate/range", parameters: { start: 1, end: ROWS } },
    {
      id: "line",
      type: "text/template",
      parameters: {
        template: `[n] ${"x".repeat(60_000)}`,
        placeholders: [{ inputPort: "n" }],
      },
    },
    { id: "said", type: "output/text", parameters: { key: "said" } },
    { id: "lines", type: "output/text", parameters: { key: "lines" } },
  ],
  connections: [
    { from: { node: "words", port: "text" }, to: { node: "said", port: "text" } },
    { from: { node: "each", port: "value" }, to: { node: "line", port: "n" } },
    { from: { node: "line", port: "text" }, to: { node: "lines", port: "text" } },
  ],
};

let directory: string;
let service: RunningService;
let runId: string;
let asset: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-private-"));
  service = await startService({
    directory,
    env: { FILE_ACCESS: "private", PRESIGNED_UPLOADS: "off" },
  });
  const workflow = await publish(service.client, { name: "Private", definition: DEFINITION });
  runId = await submitRun(service.client, {
    workflow,
    inputs: { words: { value: JSON.stringify(WORDS) } },
  });
  expect(await waitForRun(service.client, runId)).toMatchObject({ status: "completed" });
  asset = await uploadAsset(service.client, "secret.txt", "an asset");
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Execution {
  readonly outputs: readonly { readonly logical_name: string; readonly url?: string }[];
}

/** The addresses of an output in R2, an output in a row of the run, an archive and an asset, as returned to callers. */
async function addresses(): Promise<Map<string, string>> {
  const { outputs } = await service.client.call<Execution>("GET", `/api/v1/executions/${runId}`);
  const of = (key: string) =>
    outputs.find(({ logical_name: name, url }) => name === key && url !== undefined)!.url!;
  await fetchZip(service.client, runId, directory);
  const zip = await fetch(`${service.baseUrl}/api/v1/executions/${runId}/zip/1/download`, {
    headers: { authorization: `Bearer ${await service.client.token()}` },
    redirect: "manual",
  });
  expect(zip.status).toBe(302);
  const { url } = await service.client.call<{ url: string }>(
    "GET",
    `/api/v1/assets/download-url?path=${encodeURIComponent(asset)}`,
  );
  return new Map([
    ["stored output", of("said")],
    ["output in a row", of("lines")],
    ["archive", zip.headers.get("location")!],
    ["asset", url],
  ]);
}

async function status(url: string, token?: string): Promise<number> {
  const response = await fetch(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  await response.arrayBuffer();
  return response.status;
}

it("a private address works for an hour, for anyone who has it, and nothing else opens the file", async () => {
  const secrets = JSON.parse(await readFile(join(directory, "secrets.json"), "utf8")) as {
    jwt_secret: string;
  };
  const env = { FILE_ACCESS: "private", JWT_SECRET: secrets.jwt_secret };
  const own = await service.client.token();
  const others = await newWorkspaceToken(service);
  const found = await addresses();
  for (const [what, url] of found) {
    const seconds = Number(new URL(url).searchParams.get("expires")) - Date.now() / 1000;
    expect(seconds, what).toBeGreaterThan(3_500);
    expect(seconds, what).toBeLessThanOrEqual(3_600);
    expect(await status(url), `${what}: signed`).toBe(200);
    const bare = bareAddress(url);
    // The file's own workspace is not an exception: a token does not open an address.
    for (const token of [undefined, own, others]) {
      expect(await status(bare, token), `${what}: unsigned`).toBe(403);
    }
    // Signed as the service did two hours ago, and as it will in an hour for another path.
    const over = grantFileAccess(env, bare, Date.now() - 2 * HOUR_MS).url;
    expect(await status(over, own), `${what}: over`).toBe(403);
    const later = url.replace(/expires=\d+/, (given) => `expires=${Number(given.slice(8)) + 60}`);
    expect(await status(later), `${what}: put off`).toBe(403);
    const other = [...found.values()].find((each) => each !== url)!;
    const query = new URL(other).searchParams;
    const borrowed = new URL(url);
    borrowed.searchParams.set("expires", query.get("expires")!);
    borrowed.searchParams.set("signature", query.get("signature")!);
    expect(await status(borrowed.href), `${what}: another's signature`).toBe(403);
  }
});

it("disabled upload sessions return 501 on every route", async () => {
  const id = `upl_${"0".repeat(32)}`;
  for (const [method, path, body] of [
    ["POST", "", { file_name: "a.txt", size_bytes: 5 }],
    ["GET", `/${id}`, undefined],
    ["POST", `/${id}/finalize`, undefined],
    [
      "POST",
      `/${id}/parts:sign`,
      { parts: [{ part_number: 1, size_bytes: 5, checksum_base64: "AAAAAAAAAAAAAAAAAAAAAA==" }] },
    ],
    ["POST", `/${id}:complete`, undefined],
    ["POST", `/${id}:abort`, undefined],
  ] as const) {
    const response = await service.client.send(method, `/api/v1/assets/uploads${path}`, { body });
    const { code } = (await response.json()) as { code: string };
    expect([response.status, code], path).toEqual([501, "feature_disabled"]);
  }
});

it("after a switch to public, the same files open at their bare address, with any token or none", async () => {
  await service.stop();
  service = await startService({ directory, port: service.port });
  const others = await newWorkspaceToken(service);
  for (const [what, url] of await addresses()) {
    expect(new URL(url).searchParams.has("signature"), what).toBe(false);
    for (const token of [undefined, others]) {
      expect(await status(url, token), what).toBe(200);
    }
    // 256 random bits protect it: another token of the same length opens nothing.
    const guessed = url.replace(/[A-Za-z0-9_-]{43}/, "A".repeat(43));
    expect(guessed).not.toBe(url);
    expect(await status(guessed), what).toBe(404);
  }
});

/** The address without the parameters of a signature. */
function bareAddress(url: string): string {
  const bare = new URL(url);
  bare.searchParams.delete("expires");
  bare.searchParams.delete("signature");
  return bare.href;
}
