/** AI nodes with the sample models: real runs, their files read by other decoders, and their money. */
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

const node = (id: string, type: string, parameters: unknown = {}) => ({
  id,
  type,
  label: id,
  parameters,
});
const wire = (from: string, to: string) => {
  const [a, b] = from.split(".");
  const [c, d] = to.split(".");
  return { from: { node: a, port: b }, to: { node: c, port: d } };
};

/** Publishes and runs a definition; returns the execution and the files of its outputs by key. */
async function run(definition: object, inputs: Record<string, unknown>) {
  const workflow = await publish(service.client, { name: "Sample", definition } as never);
  const id = await submitRun(service.client, { workflow, inputs } as never);
  const execution = await waitForRun(service.client, id);
  const { result } = await readResult(service.client, id);
  const file = async (key: string) => {
    const response = await fetch(result.by_key[key]?.url ?? "");
    return {
      type: response.headers.get("content-type"),
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  return { id, execution, file };
}

/** The colors of the lowest rows, which say that a picture is a sample: the band and the letters in it. */
async function bandOf(bytes: Buffer) {
  const { data, info } = await sharp(bytes)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const rows = Math.max(16, Math.ceil(info.height * 0.08));
  const band = data.subarray((info.height - rows) * info.width * 3);
  const pixels = new Set<string>();
  for (let at = 0; at < band.length; at += 3) {
    pixels.add(band.subarray(at, at + 3).toString("hex"));
  }
  return { width: info.width, height: info.height, pixels };
}

const MADE = {
  nodes: [
    node("prompt", "input/text"),
    node("make", "ai/text_to_image", {
      variants: 2,
      width: 320,
      height: 200,
      preset: "watercolor",
      effect: "film_grain",
    }),
    node("first", "output/image", { key: "first" }),
    node("second", "output/image", { key: "second" }),
  ],
  connections: [
    wire("prompt.text", "make.prompt"),
    wire("make.variant_1", "first.image"),
    wire("make.variant_2", "second.image"),
  ],
};

describe("ai/text_to_image", () => {
  it("makes labeled variants of the requested size, the same for the same inputs, and is charged for each", async () => {
    const inputs = { prompt: { value: JSON.stringify("A red kite over the sea") } };
    const [once, again] = [await run(MADE, inputs), await run(MADE, inputs)];
    expect(once.execution).toMatchObject({ status: "completed", credits_used: 0.2 });
    const files = await Promise.all(
      [once, again].flatMap(({ file }) => [file("first"), file("second")]),
    );
    const [first, second] = files;
    expect(first?.type).toBe("image/png");
    expect(first?.bytes.equals(files[2]?.bytes ?? Buffer.alloc(0))).toBe(true);
    expect(second?.bytes.equals(files[3]?.bytes ?? Buffer.alloc(0))).toBe(true);
    expect(first?.bytes.equals(second?.bytes ?? Buffer.alloc(0))).toBe(false);
    const { width, height, pixels } = await bandOf(first?.bytes ?? Buffer.alloc(0));
    expect([width, height]).toEqual([320, 200]);
    expect([pixels.has("111827"), pixels.has("ffffff")]).toEqual([true, true]);
  });
});

describe("pictures with an input picture", () => {
  it("have its proportions, in the requested format, without its metadata", async () => {
    const photo = await sharp({
      create: { width: 60, height: 90, channels: 3, background: "#cc3344" },
    })
      .withExif({ IFD0: { Copyright: "MARKER" } })
      .jpeg()
      .toBuffer();
    const path = await uploadAsset(service.client, "photo.jpg", photo);
    const { execution, file } = await run(
      {
        nodes: [
          node("photo", "input/image"),
          node("make", "ai/product_photography", { preset: "marble", output_format: "webp" }),
          node("out", "output/image", { key: "out" }),
        ],
        connections: [wire("photo.image", "make.product"), wire("make.result", "out.image")],
      },
      { photo: { asset_path: path } },
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.1 });
    const { type, bytes } = await file("out");
    expect(type).toBe("image/webp");
    expect(await bandOf(bytes)).toMatchObject({ width: 683, height: 1_024 });
    expect(bytes.includes("MARKER")).toBe(false);
  });
});

describe("ai/text_generation", () => {
  it("returns a document of a schema, and is charged for its tokens", async () => {
    const schema = {
      type: "object",
      required: ["caption", "tags"],
      properties: {
        caption: { type: "string", minLength: 10 },
        tags: { type: "array", items: { enum: ["sea", "sky"] }, minItems: 2 },
      },
    };
    const { id, execution } = await run(
      {
        nodes: [
          node("prompt", "input/text"),
          node("fill", "ai/text_generation", { json_schema: schema, preset: "friendly" }),
          node("write", "ai/text_generation"),
          node("values", "output/json", { key: "values" }),
          node("text", "output/text", { key: "text" }),
        ],
        connections: [
          wire("prompt.text", "fill.prompt"),
          wire("prompt.text", "write.prompt"),
          wire("fill.json", "values.json"),
          wire("write.text", "text.text"),
        ],
      },
      { prompt: { value: JSON.stringify("Describe the kite") } },
    );
    expect(execution).toMatchObject({ status: "completed" });
    // At most a milli-credit each: some tokens at 2 and 6 for 1,000.
    expect(execution.credits_used).toBe(0.002);
    const { result } = await readResult(service.client, id);
    expect(result.by_key["values"]?.value).toEqual({ caption: "samplesamp", tags: ["sea", "sky"] });
    expect(result.by_key["text"]?.value).toMatch(/^\[sample\] .* 3 words and 0 images\.$/);
  });
});

describe("models that cannot be called", () => {
  it("are refused when a workflow is published, and are not listed", async () => {
    const definition = {
      ...MADE,
      nodes: MADE.nodes.map((each) =>
        each.id === "make" ? { ...each, parameters: { model: "gpt-image-1", variants: 2 } } : each,
      ),
    };
    await expect(publish(service.client, { name: "Unknown", definition } as never)).rejects.toThrow(
      /gpt-image-1/,
    );
    const { data } = await service.client.call<{ data: readonly { model: string }[] }>(
      "GET",
      "/api/v1/models",
    );
    expect(data.map(({ model }) => model)).toEqual(["sample-image", "sample-text"]);
  });
});
