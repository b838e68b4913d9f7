/** The nodes that edit pictures, in a real run over several items; sharp judges the file of each. */
import sharp from "sharp";
import { expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import type { Trace } from "../../src/contracts/runs/trace.ts";
import { sharedService } from "../support/node/shared-service.ts";

const COUNT = 3;

const wire = (from: string, to: string) => {
  const [a, b] = from.split(".");
  const [c, d] = to.split(".");
  return { from: { node: a, port: b }, to: { node: c, port: d } };
};

const cmykJpeg = () =>
  sharp({ create: { width: 30, height: 20, channels: 3, background: "#336699" } })
    .toColourspace("cmyk")
    .withIccProfile("cmyk")
    .jpeg()
    .toBuffer();

it("resize, compose and convert a picture for each item", async () => {
  const { client } = await sharedService();
  const photo = await sharp({
    create: { width: 300, height: 200, channels: 3, background: "#cc3344" },
  })
    .jpeg({ quality: 95 })
    .toBuffer();
  const definition = {
    nodes: [
      { id: "photo", type: "input/image" },
      { id: "items", type: "enumerate/range", parameters: { start: 1, end: COUNT } },
      {
        id: "line",
        type: "text/template",
        parameters: { template: "item [n]", placeholders: [{ inputPort: "n" }] },
      },
      { id: "code", type: "image/code", parameters: { symbology: "qr", size: 128 } },
      { id: "small", type: "image/resize", parameters: { width: 150 } },
      {
        id: "both",
        type: "image/compose",
        parameters: { placements: [{ x: 100, y: -10, width: 60, height: 60, opacity: 0.5 }] },
      },
      { id: "written", type: "image/convert", parameters: { format: "webp", quality: 100 } },
      { id: "out", type: "output/image", parameters: { key: "out" } },
      { id: "print", type: "input/image" },
      { id: "shown", type: "image/convert", parameters: { format: "png" } },
      { id: "proof", type: "output/image", parameters: { key: "proof" } },
    ],
    connections: [
      wire("items.value", "line.n"),
      wire("line.text", "code.text"),
      wire("photo.image", "small.image"),
      wire("small.image", "both.base"),
      wire("code.image", "both.layers"),
      wire("both.image", "written.image"),
      wire("written.image", "out.image"),
      wire("print.image", "shown.image"),
      wire("shown.image", "proof.image"),
    ],
  };
  const workflow = await publish(client, { name: "Badges", definition } as never);
  const asset_path = await uploadAsset(client, "photo.jpg", photo);
  const print = await uploadAsset(client, "print.jpg", await cmykJpeg());
  const inputs = { photo: { asset_path }, print: { asset_path: print } };
  const id = await submitRun(client, { workflow, inputs } as never);
  expect(await waitForRun(client, id)).toMatchObject({ status: "completed" });
  const trace = await client.call<Trace>("GET", `/api/v1/executions/${id}/trace`);
  const told = trace.nodes.filter((node) => "picture_colors" in node);
  expect(told).toMatchObject([
    {
      node_id: "shown",
      picture_colors: { by_profile: 1, without_profile: 0, profile_not_applied: 0 },
    },
  ]);
  const { result } = await readResult(client, id);
  const files = result.by_key["out"]?.items ?? [];
  expect(files).toHaveLength(COUNT);
  for (const { url, thumbnail_url: thumbnail } of files) {
    // oxlint-disable-next-line no-await-in-loop -- three small files
    const bytes = Buffer.from(await (await fetch(url ?? "")).arrayBuffer());
    // oxlint-disable-next-line no-await-in-loop
    const small = Buffer.from(await (await fetch(thumbnail ?? "")).arrayBuffer());
    expect(small.equals(bytes), "a small picture is its own thumbnail").toBe(true);
    // oxlint-disable-next-line no-await-in-loop
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([150, 100]);
    const at = (x: number, y: number) => [
      ...data.subarray(
        (y * info.width + x) * info.channels,
        (y * info.width + x) * info.channels + 3,
      ),
    ];
    const near = (color: readonly number[], expected: readonly number[]) =>
      color.every((value, i) => Math.abs(value - (expected[i] ?? 0)) <= 12);
    expect(near(at(10, 90), [0xcc, 0x33, 0x44]), "outside of the code").toBe(true);
    // The code's white margin, half transparent over the red.
    expect(near(at(102, 45), [0xe5, 0x99, 0xa1]), `margin ${at(102, 45).join()}`).toBe(true);
  }
});
