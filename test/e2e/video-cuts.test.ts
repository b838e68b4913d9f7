/** Nodes that read and cut videos in real runs. */
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { readImageHeader } from "../../src/images/header/read-image-header.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

let service: SharedService;
beforeAll(async () => {
  service = await sharedService();
});

const fixture = (name: string) =>
  readFile(new URL(`../fixtures/codecs/${name}`, import.meta.url).pathname);

/** Runs a node on one video; its files by the key of their output. */
async function run(
  file: string,
  nodes: readonly {
    readonly type: string;
    readonly parameters: object;
    readonly ports: readonly string[];
  }[],
  kind: "image" | "video",
) {
  const keys = nodes.flatMap(({ ports }, index) => ports.map((port) => `${index}_${port}`));
  const definition = {
    nodes: [
      { id: "in", type: "input/video" },
      ...nodes.map(({ type, parameters }, index) => ({ id: `made_${index}`, type, parameters })),
      ...keys.map((key) => ({ id: `out_${key}`, type: `output/${kind}`, parameters: { key } })),
    ],
    connections: nodes.flatMap(({ ports }, index) => [
      { from: { node: "in", port: "video" }, to: { node: `made_${index}`, port: "video" } },
      ...ports.map((port) => ({
        from: { node: `made_${index}`, port },
        to: { node: `out_${index}_${port}`, port: kind },
      })),
    ]),
  };
  const workflow = await publish(service.client, { name: "Videos", definition } as never);
  const asset = await uploadAsset(service.client, file, await fixture(file));
  const inputs = { in: { asset_path: asset } };
  const id = await submitRun(service.client, { workflow, inputs } as never);
  const execution = await waitForRun(service.client, id);
  const { result } = await readResult(service.client, id);
  return {
    execution,
    file: async (key: string) => {
      const url = result.by_key[key]?.url ?? "";
      const response = await fetch(url);
      return {
        name: new URL(url).pathname.split("/").at(-1),
        type: response.headers.get("content-type"),
        bytes: new Uint8Array(await response.arrayBuffer()),
      };
    },
  };
}

describe("video/thumbnail", () => {
  const thumbnail = (parameters: object) => ({
    type: "video/thumbnail",
    parameters,
    ports: ["image"],
  });

  it.each(["h264-b-frames.mp4", "hevc-10-bit.mp4", "vp9.webm", "vp8.webm"])(
    "makes pictures of %s in each format, free of charge",
    async (name) => {
      const { execution, file } = await run(
        name,
        [
          thumbnail({ at: 0.5 }),
          thumbnail({ at: 99, format: "png", mode: "keyframe" }),
          thumbnail({ format: "webp", width: 49, quality: 50 }),
        ],
        "image",
      );
      expect(execution).toMatchObject({ status: "completed", credits_used: 0 });
      const found = [];
      for (const key of ["0_image", "1_image", "2_image"]) {
        const { name: stored, type, bytes } = await file(key);
        const { format, width, height } = readImageHeader(bytes);
        found.push([stored, type, format, width, height]);
      }
      expect(found).toEqual([
        ["thumbnail.jpg", "image/jpeg", "jpeg", 98, 68],
        ["thumbnail.png", "image/png", "png", 98, 68],
        ["thumbnail.webp", "image/webp", "webp", 49, 34],
      ]);
    },
  );
});
