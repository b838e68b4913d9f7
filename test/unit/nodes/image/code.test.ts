import { beforeEach, describe, expect, it } from "vitest";
import type { QualityCheck } from "../../../../src/contracts/quality-check.ts";
import { QualityCheck as QualityCheckSchema } from "../../../../src/contracts/quality-check.ts";
import { readPngSize } from "../../../../src/images/header/read-png-header.ts";
import type { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { NodeInputs, type RunValue } from "../../../../src/nodes/define-ports.ts";
import { imageCode } from "../../../../src/nodes/image/code.ts";
import { SVG_LOGO } from "../../../support/images/code-spec.ts";
import { taskContext, type TestFiles } from "../../../support/images/task-context.ts";

let files: TestFiles;
let context: ReturnType<typeof taskContext>["context"];
beforeEach(() => {
  ({ context, files } = taskContext());
});

async function run(parameters: Record<string, unknown>, inputs: Record<string, RunValue>) {
  const outputs = await imageCode.run(
    context,
    new NodeInputs(new Map(Object.entries(inputs))),
    imageCode.params.parse(parameters),
  );
  return { outputs, check: outputs.get("check") as unknown as QualityCheck };
}

describe("image/code", () => {
  it("stores a PNG and an SVG and reports its checks", async () => {
    const { outputs, check } = await run({ symbology: "qr", size: 300 }, { text: "Hello" });
    const image = outputs.get("image") as FileRef;
    const svg = outputs.get("svg") as FileRef;
    expect([image.contentType, svg.contentType]).toEqual(["image/png", "image/svg+xml"]);
    expect(readPngSize(files.get(image))).toEqual({ width: 300, height: 300 });
    expect(new TextDecoder().decode(files.get(svg))).toMatch(/^<svg .*<\/svg>$/s);
    expect(QualityCheckSchema.parse(check)).toEqual(check);
    expect(check).toMatchObject({ schema: "svc.quality-check/v1", passed: true });
    expect(check.checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(check.checks.map(({ id }) => id)).toEqual([
      "decodes",
      "contrast",
      "polarity",
      "quiet_zone",
      "module_size",
    ]);
  });

  it("stores no picture that nothing in the run reads, and still checks the symbol", async () => {
    const outputs = async (unread: string[]) => {
      context = { ...context, unreadPorts: new Set(unread) };
      const before = files.count();
      const made = (await run({ symbology: "qr" }, { text: "Hello" })).outputs;
      return [[...made.keys()], files.count() - before];
    };
    expect(await outputs([])).toEqual([["image", "svg", "check"], 2]);
    expect(await outputs(["svg"])).toEqual([["image", "check"], 1]);
    expect(await outputs(["image", "svg", "check"])).toEqual([["check"], 0]);
  });

  it("reads a logo from its port", async () => {
    const logo = files.add("logo.svg", "image/svg+xml", SVG_LOGO);
    const plain = await run({ symbology: "qr" }, { text: "Hello" });
    const marked = await run({ symbology: "qr" }, { text: "Hello", logo });
    const bytes = (outputs: typeof plain.outputs) => files.get(outputs.get("image") as FileRef);
    expect(bytes(marked.outputs)).not.toEqual(bytes(plain.outputs));
  });

  const qr = { symbology: "qr" };
  const ean = { symbology: "ean13" };
  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      "code in the color of the background",
      { ...qr, code_color: "#336699", background_color: "#336699" },
      /could not be read back.*differ by 0 %/,
    ],
    ["yellow on white", { ...qr, code_color: "#ffee00" }, /differ by \d+ %.*darker code_color/],
    ["eyes as light as the background", { ...qr, eye_color: "#fafafa" }, /eye_color/],
    [
      "white on transparent, which is judged on white",
      { ...qr, code_color: "#ffffff", background_color: "transparent" },
      /white \(the background is transparent\)/,
    ],
    [
      "light bars on dark",
      { ...ean, code_color: "#ffffff", background_color: "#000000" },
      /Swap code_color and background_color/,
    ],
    [
      "hearts of a pixel or two with dark ground",
      { ...qr, module_shape: "heart", code_color: "#777777", background_color: "#707070" },
      /differ by/,
    ],
  ])("fails on %s with a fix", async (_name, parameters, message) => {
    const running = run(parameters, { text: "590123412345" });
    await expect(running).rejects.toMatchObject({ code: "CODE_NOT_SCANNABLE", retryable: false });
    await expect(running).rejects.toThrow(message);
    expect(files.count()).toBe(0);
  });

  it.each([
    ["another text", [{ format: "QRCode", text: "Hullo" }]],
    ["the text as another symbology", [{ format: "Code128", text: "Hello" }]],
    ["nothing", []],
  ])("fails when %s is read back", async (_name, found) => {
    context = { ...context, codes: { ...context.codes, decode: () => Promise.resolve(found) } };
    await expect(run(qr, { text: "Hello" })).rejects.toMatchObject({ code: "CODE_NOT_SCANNABLE" });
  });

  it("fails on a logo that hides half of the code, with logo_size in the message", async () => {
    const logo = files.add("logo.svg", "image/svg+xml", SVG_LOGO);
    const running = run({ symbology: "qr", logo_size: 50 }, { text: "Hello", logo });
    await expect(running).rejects.toThrow(/make logo_size smaller \(now 50 %\)/);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["middling contrast", { ...qr, code_color: "#d0d0d0" }, "contrast"],
    ["red bars", { ...ean, code_color: "#e00000" }, "red_light"],
    [
      "light modules on dark",
      { ...qr, code_color: "#ffffff", background_color: "#000000" },
      "polarity",
    ],
    ["modules of one pixel", { ...qr, size: 64 }, "module_size"],
  ])("passes %s with a warning", async (_name, parameters, id) => {
    const { check } = await run(parameters, {
      text: parameters["size"] === 64 ? "5".repeat(120) : "590123412345",
    });
    expect(check.passed).toBe(true);
    expect(
      check.checks.filter(({ passed }) => !passed).map((each) => [each.id, each.severity]),
    ).toContainEqual([id, "warning"]);
  });

  it("passes round eyes at every size of a module, with any edge pixels", async () => {
    for (let size = 87; size < 360; size += 29) {
      const { check } = await run({ ...qr, size, eye_frame_shape: "circle" }, { text: "Hello" });
      expect(check.checks.find(({ id }) => id === "quiet_zone")?.passed).toBe(true);
    }
  });

  it("accepts only its own parameters", () => {
    for (const bad of [
      {},
      { symbology: "pdf417" },
      { symbology: "qr", size: 4_000 },
      { symbology: "qr", code_color: "red" },
      { symbology: "qr", background_color: "#fff" },
      { symbology: "qr", color: "#000000" },
    ]) {
      expect(imageCode.params.safeParse(bad).success).toBe(false);
    }
  });

  it("requires text and accepts a logo", () => {
    expect(imageCode.inputs.map(({ name, required }) => [name, required])).toEqual([
      ["text", undefined],
      ["logo", false],
    ]);
    expect(imageCode.cost).toEqual({ unit: "image", milliCredits: 20 });
  });
});
