/** Files that are read, checked or packed as a whole: archives, bundles, fonts and drawings hold no more than 64 MB. */
import "../support/only-in-proof.ts";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ZipStatus } from "../../src/contracts/runs/zip-export.ts";
import {
  ARCHIVE_PART,
  DIGEST,
  FONT_TRIED,
  SVG_CLEANED,
} from "../support/node/live-bytes/watch-points.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";
import { waitUntil } from "../support/wait-until.ts";
import { testInProof } from "../support/in-proof.ts";

const MB = 1024 * 1024;
const PIECE = Buffer.alloc(8 * MB, "0123456789abcdef");
const FONT = fileURLToPath(
  new URL(
    "../../node_modules/@expo-google-fonts/noto-serif/400Regular/NotoSerif_400Regular.ttf",
    import.meta.url,
  ),
);

let watched: WatchedService;

beforeAll(async () => {
  watched = await WatchedService.start({
    points: { api: [SVG_CLEANED, DIGEST], runner: [ARCHIVE_PART, FONT_TRIED, DIGEST] },
  });
});

afterAll(() => watched?.stop());

function* pieces(bytes: number) {
  for (let left = bytes; left > 0; left -= PIECE.length) {
    yield PIECE.subarray(0, Math.min(left, PIECE.length));
  }
}

async function exported(id: string): Promise<ZipStatus> {
  await watched.call("POST", `/api/v1/executions/${id}/zip`);
  return waitUntil(
    "the export's end",
    async () => {
      const now = await watched.call<ZipStatus>("GET", `/api/v1/executions/${id}/zip/status`);
      return now.status !== "building" && now;
    },
    300_000,
  );
}

test("five outputs of 41 MB, copied and packed into one archive", async () => {
  const path = await watched.upload("large.txt", pieces(41 * MB));
  const outs = Array.from({ length: 5 }, (_, i) => `out${i}`);
  const workflow = await watched.publish(
    "copies",
    [
      { id: "file", type: "input/document" },
      ...outs.map((id) => ({ id, type: "output/document", parameters: { key: id } })),
    ],
    outs.map((id) => `file.document > ${id}.document`),
  );
  await watched.expectFlat(async () => {
    const { id } = await watched.run(workflow, { file: { asset_path: path } });
    const done = await exported(id);
    expect(done).toMatchObject({ status: "completed", total_size_bytes: 205 * MB });
  });
});

testInProof("1,200 outputs of 60 KB that lie in the run's rows, packed", async () => {
  const workflow = await watched.publish(
    "texts",
    [
      { id: "rows", type: "enumerate/range", parameters: { start: 1, end: 1_200 } },
      {
        id: "text",
        type: "text/template",
        parameters: {
          template: `[n] ${"lorem ipsum ".repeat(5_000)}`,
          placeholders: [{ inputPort: "n" }],
        },
      },
      { id: "out", type: "output/text", parameters: { key: "texts" } },
    ],
    ["rows.value > text.n", "text.text > out.text"],
  );
  await watched.expectFlat(async () => {
    const { id } = await watched.run(workflow);
    expect((await exported(id)).total_size_bytes).toBeGreaterThan(64 * MB);
  });
});

testInProof("a bundle of 100 MB, held to its checksum by the API and by a node", async () => {
  const path = await watched.upload("large.txt", pieces(100 * MB));
  const workflow = await watched.publish(
    "bundle",
    [
      {
        id: "files",
        type: "input/bundle_manifest",
        label: "files",
        parameters: { validation: "fail" },
      },
      { id: "out", type: "output/json", parameters: { key: "out" } },
    ],
    ["files.bundle > out.json"],
  );
  await watched.expectFlat(async () => {
    const bundle = await watched.call<{ assets: { sha256?: string }[] }>(
      "POST",
      "/api/v1/bundle-manifests/compose",
      { bundle_id: "large", assets: [{ asset_path: path }] },
    );
    expect(bundle.assets.map(({ sha256 }) => sha256?.length)).toEqual([64]);
    await watched.run(workflow, { files: { value: JSON.stringify(bundle) } });
  }, [DIGEST]);
});

testInProof("a font of 20 MB is judged and tried", async () => {
  const font = await readFile(FONT);
  const bytes = Buffer.concat([font, Buffer.alloc(20 * MB - font.length)]);
  await watched.expectFlat(async () => {
    await watched.wake();
    const form = new FormData();
    form.append("displayName", "Large");
    form.append("category", "serif");
    form.append("licenseAcknowledged", "true");
    form.append("files", new File([bytes], "large.ttf"));
    const response = await fetch(`${watched.service.baseUrl}/api/v1/fonts`, {
      method: "POST",
      headers: { authorization: `Bearer ${await watched.service.client.token()}` },
      body: form,
    });
    expect(response.status, await response.text()).toBe(201);
  }, [FONT_TRIED]);
});

test("an SVG of 8 MB and 100,000 elements is cleaned", async () => {
  const shape = '<path class="outline" fill="#123456" d="M1 2L3 4C5 6 7 8 9 10z" id="i"/>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg">${shape.repeat(99_990)}</svg>`;
  const bytes = Buffer.from(svg.padEnd(8 * MB - 10));
  await watched.expectFlat(async () => {
    const uploads = "/api/v1/assets/uploads";
    const session = await watched.call<{
      upload_id: string;
      upload_url: string;
      required_headers: Record<string, string>;
    }>("POST", uploads, { file_name: "large.svg", size_bytes: bytes.length });
    const put = await fetch(session.upload_url, {
      method: "PUT",
      headers: session.required_headers,
      body: bytes,
    });
    expect(put.status, await put.text()).toBe(200);
    await watched.call("POST", `${uploads}/${session.upload_id}/finalize`, {});
    const ended = await waitUntil(
      "the upload's end",
      async () => {
        const { status } = await watched.call<{ status: string }>(
          "GET",
          `${uploads}/${session.upload_id}`,
        );
        return status !== "pending" && status !== "processing" && status;
      },
      300_000,
    );
    expect(ended).toBe("finalized");
  }, [SVG_CLEANED]);
});
