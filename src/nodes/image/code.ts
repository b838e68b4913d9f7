import * as z from "zod";
import {
  type CodeSpec,
  type DrawnCode,
  ErrorCorrection,
  EyeBallShape,
  EyeFrameShape,
  LogoBackground,
  ModuleShape,
  type Rgb,
  Symbology,
} from "../../contracts/code-symbol.ts";
import { integerField } from "../../contracts/workflows/node-parameters.ts";
import type { QualityCheck, QualityCheckItem } from "../../contracts/quality-check.ts";
import { asJson } from "../../lib/json/exact-json.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { HEX_COLOR, luminance, parseHexColor, redLuminance } from "../../lib/hex-color.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { backgroundField, backgroundOf } from "../define-pictures.ts";
import { defineNode } from "../define-node.ts";
import type { NodeInputs, RunValue } from "../define-ports.ts";
import { NEEDS, type TaskContext } from "../define-tools.ts";

const Color = z.string().regex(HEX_COLOR, "must be a color as #RRGGBB");

const qrOnly = { exposable: true, visible_when: { parameter: "symbology", value: "qr" } };
const barsOnly = {
  exposable: true,
  visible_when: { parameter: "symbology", value: ["ean13", "code128"] },
};

const params = z.strictObject({
  symbology: Symbology.meta({
    title: "Symbology",
    description:
      "qr accepts any text; ean13 accepts 12 digits (check digit added) or 13 (verified), ignoring spaces and dashes; code128 accepts up to 48 printable ASCII characters.",
  }),
  size: integerField(64, 2048).default(1024).meta({
    title: "Size",
    description: "Width of the picture in px; of a QR code also its height.",
    exposable: true,
  }),
  error_correction: ErrorCorrection.default("M").meta({
    title: "Error Correction",
    description:
      "The minimum level. It is raised if the symbol stays the same size; a logo always uses H.",
    ...qrOnly,
  }),
  module_shape: ModuleShape.default("square").meta({ title: "Module Shape", ...qrOnly }),
  eye_frame_shape: EyeFrameShape.default("square").meta({ title: "Eye Frame Shape", ...qrOnly }),
  eye_ball_shape: EyeBallShape.default("square").meta({ title: "Eye Ball Shape", ...qrOnly }),
  code_color: Color.default("#000000").meta({ title: "Code Color", exposable: true }),
  eye_color: Color.optional().meta({
    title: "Eye Color",
    description: "Of the three eyes; the default is the code color.",
    ...qrOnly,
  }),
  background_color: backgroundField
    .default("#ffffff")
    .meta({ title: "Background Color", exposable: true }),
  logo_background: LogoBackground.default("rounded").meta({
    title: "Logo Background",
    description: "Shape of the clear patch under the logo.",
    ...qrOnly,
  }),
  logo_size: z
    .int()
    .min(10)
    .max(50)
    .default(22)
    .meta({
      title: "Logo Size",
      description: "Side of the patch under the logo in percent of the symbol's side.",
      advanced: true,
      ...qrOnly,
    }),
  human_readable_text: z
    .boolean()
    .default(true)
    .meta({
      title: "Human-Readable Text",
      description: "The text below the bars, as vector outlines.",
      ...barsOnly,
    }),
  bar_height: z
    .int()
    .min(8)
    .max(2048)
    .optional()
    .meta({
      title: "Bar Height",
      description:
        "In px. The default is 69 modules for ean13, and for code128 50 modules or 15 % of the width.",
      ...barsOnly,
    }),
});
type Params = z.output<typeof params>;

/** Below this a symbol has grade F (ISO/IEC 15415 and 15416, symbol contrast). */
const CONTRAST_MIN = 0.2;
/** Below this, grade C or D: cheap cameras and poor light fail. */
const CONTRAST_GOOD = 0.4;
/** Smaller modules are lost in the first scaling or on paper. */
const MODULE_PX_GOOD = 2;
const QUIET_ZONE = { qr: [4], ean13: [11, 7], code128: [10, 10] } as const;
const FORMAT = { qr: "QRCode", ean13: "EAN13", code128: "Code128" } as const;
const WHITE: Rgb = [255, 255, 255];

/** QR codes and barcodes; each one is read back before it is returned (docs/contract/codes.md#symbols). */
export const imageCode = defineNode({
  type: "image/code",
  version: "1.2",
  name: "QR Code and Barcode",
  description:
    "Draws a QR code, EAN-13 or Code 128 symbol as PNG and SVG, with shapes, colors and a logo. Every symbol is read back; one that does not scan fails the node.",
  whenToUse:
    "To put a link, an article number or an identifier on a label, a ticket or a page. Use text/template before it to make the text.",
  subCategory: "codes",
  status: "stable",
  icon: "qr-code",
  color: "#7c3aed",
  inputs: [
    { name: "text", type: "text", label: "Text" },
    { name: "logo", type: "image", label: "Logo", required: false },
  ],
  outputs: [
    { name: "image", type: "image", label: "PNG" },
    { name: "svg", type: "image", label: "SVG" },
    { name: "check", type: "json", label: "Quality Check" },
  ],
  params,
  role: "transform",
  placement: "task",
  needs: ["codes", "files", "images"],
  timeLimitMs: 30_000,
  // The raster, its copy in the reader and the filtered rows of the PNG, 4 bytes a pixel each; with a logo, the most
  // that any conversion of a picture may take, which includes the code's own pixels.
  memoryBytes: ({ size, bar_height: barHeight = 0 }, logo) =>
    logo.length > 0 ? NEEDS.images.memoryBytes : 12 * size * Math.max(size, barHeight),
  cost: { unit: "image", milliCredits: 20 },
  async run(ctx, inputs, parameters) {
    const spec = await readSpec(ctx, inputs, parameters);
    const drawn = await ctx.codes.draw(spec);
    const format = FORMAT[spec.symbology];
    const found = await ctx.codes.decode(drawn.rgba, drawn.width, drawn.height, format);
    const reads = found.some((code) => code.format === format && code.text === drawn.text);
    const checks = checkCode(spec, drawn, reads);
    const faults = checks.filter((check) => !check.passed && check.severity === "error");
    if (faults.length > 0) {
      throw new NodeError("CODE_NOT_SCANNABLE", faults.map(({ message }) => message).join(" "));
    }
    const check: QualityCheck = {
      schema: "svc.quality-check/v1",
      subject: `${spec.symbology} code`,
      passed: true,
      checks,
    };
    // Storing a file that nothing reads would cost more than drawing it.
    const files = await Promise.all(
      (["image", "svg"] as const)
        .filter((port) => ctx.unreadPorts?.has(port) !== true)
        .map(async (port) => [port, await writePicture(ctx, drawn, port)] as const),
    );
    return new Map<string, RunValue>([...files, ["check", asJson(check)]]);
  },
});

async function writePicture(
  ctx: TaskContext<"files" | "images">,
  drawn: DrawnCode,
  port: "image" | "svg",
): Promise<FileRef> {
  if (port === "svg") {
    return ctx.files.write("code.svg", "image/svg+xml", new TextEncoder().encode(drawn.svg));
  }
  const png = await ctx.images.encodePng(drawn.rgba, drawn.width, drawn.height);
  return ctx.files.write("code.png", "image/png", png);
}

async function readSpec(
  ctx: TaskContext<"files">,
  inputs: NodeInputs,
  given: Params,
): Promise<CodeSpec> {
  const codeColor = parseHexColor(given.code_color);
  const hasLogo = given.symbology === "qr" && inputs.has("logo");
  const logo = hasLogo ? inputs.file("logo") : undefined;
  return {
    symbology: given.symbology,
    text: inputs.text("text"),
    size: given.size,
    errorCorrection: given.error_correction,
    moduleShape: given.module_shape,
    eyeFrameShape: given.eye_frame_shape,
    eyeBallShape: given.eye_ball_shape,
    codeColor,
    eyeColor: given.eye_color === undefined ? codeColor : parseHexColor(given.eye_color),
    backgroundColor: backgroundOf(given.background_color),
    logoBackground: given.logo_background,
    logoSizePercent: given.logo_size,
    humanReadableText: given.human_readable_text,
    ...(given.bar_height === undefined ? {} : { barHeight: given.bar_height }),
    ...(logo === undefined
      ? {}
      : { logo: { bytes: await ctx.files.read(logo), contentType: logo.contentType } }),
  };
}

function checkCode(spec: CodeSpec, drawn: DrawnCode, reads: boolean): QualityCheckItem[] {
  const checks = [
    checkDecodes(spec, drawn, reads),
    checkContrast(spec),
    checkPolarity(spec),
    checkQuietZone(spec, drawn),
    {
      id: "module_size",
      passed: drawn.modulePx >= MODULE_PX_GOOD,
      severity: "warning" as const,
      measured: drawn.modulePx,
      expected: MODULE_PX_GOOD,
      message:
        drawn.modulePx >= MODULE_PX_GOOD
          ? `A module is ${drawn.modulePx} px.`
          : `A module is only ${drawn.modulePx} px: any scaling will break it. Raise size (now ${spec.size}).`,
    },
  ];
  return spec.symbology === "qr" ? checks : [...checks, checkRedLight(spec)];
}

function checkDecodes(spec: CodeSpec, drawn: DrawnCode, reads: boolean): QualityCheckItem {
  const remedy = [
    ...(drawn.logoCoverage > 0 ? [`make logo_size smaller (now ${spec.logoSizePercent} %)`] : []),
    ...(spec.symbology === "qr" && spec.moduleShape !== "square" && drawn.modulePx < 6
      ? [`raise size (now ${spec.size}; a ${spec.moduleShape} has ${drawn.modulePx} px)`]
      : []),
    ...(spec.symbology === "qr" && spec.moduleShape !== "square"
      ? [`use module_shape square or rounded (now ${spec.moduleShape})`]
      : []),
    "use a darker code_color and a lighter background_color",
  ];
  return {
    id: "decodes",
    passed: reads,
    severity: "error",
    measured: reads,
    expected: true,
    message: reads
      ? "Read back: the symbol holds its text."
      : `The drawn code could not be read back. To fix it, ${remedy.join(", or ")}.`,
  };
}

/** Colors of code and background; a transparent background counts as white. */
function contrastOf(spec: CodeSpec, of: (color: Rgb) => number): number {
  const background = of(spec.backgroundColor ?? WHITE);
  const code = background - of(spec.codeColor);
  const eyes = background - of(spec.eyeColor);
  if (spec.symbology !== "qr") {
    return code;
  }
  return Math.abs(eyes) < Math.abs(code) || Math.sign(eyes) !== Math.sign(code) ? eyes : code;
}

function checkContrast(spec: CodeSpec): QualityCheckItem {
  const contrast = Math.abs(contrastOf(spec, luminance));
  const percent = Math.round(contrast * 100);
  const isPoor = contrast < CONTRAST_MIN;
  const ground =
    spec.backgroundColor === null ? "white (the background is transparent)" : "background_color";
  return {
    id: "contrast",
    passed: contrast >= CONTRAST_GOOD,
    severity: isPoor ? "error" : "warning",
    measured: percent,
    expected: CONTRAST_GOOD * 100,
    message:
      contrast >= CONTRAST_GOOD
        ? `Code and ${ground} differ by ${percent} % of full contrast.`
        : `Code colors and ${ground} differ by ${percent} % of full contrast; scanners need ${CONTRAST_MIN * 100} % and poor light ${CONTRAST_GOOD * 100} %. Use a darker code_color and eye_color, or a lighter background_color.`,
  };
}

function checkPolarity(spec: CodeSpec): QualityCheckItem {
  const passed = contrastOf(spec, luminance) >= 0;
  const isBars = spec.symbology !== "qr";
  return {
    id: "polarity",
    passed,
    severity: isBars ? "error" : "warning",
    measured: passed ? "dark_on_light" : "light_on_dark",
    expected: "dark_on_light",
    message: passed
      ? "The code is darker than its background."
      : isBars
        ? "The bars are lighter than their background, which scanners do not read. Swap code_color and background_color."
        : "The code is lighter than its background: many cameras can read this, some scanners cannot. Swap code_color and background_color to be safe.",
  };
}

function checkQuietZone(spec: CodeSpec, drawn: DrawnCode): QualityCheckItem {
  const expected = QUIET_ZONE[spec.symbology];
  const measured = drawn.quietZone.map((modules) => Math.floor(modules * 10) / 10);
  const passed = expected.every((least, side) => (measured[side] ?? 0) >= least - 0.2);
  return {
    id: "quiet_zone",
    passed,
    severity: "error",
    measured,
    expected: [...expected],
    message: passed
      ? `The quiet zone is ${measured.join(" and ")} modules wide.`
      : `The quiet zone is only ${measured.join(" and ")} modules wide; it must be ${expected.join(" and ")}. Raise size (now ${spec.size}).`,
  };
}

function checkRedLight(spec: CodeSpec): QualityCheckItem {
  const percent = Math.round(contrastOf(spec, redLuminance) * 100);
  const passed = percent >= CONTRAST_GOOD * 100;
  return {
    id: "red_light",
    passed,
    severity: "warning",
    measured: percent,
    expected: CONTRAST_GOOD * 100,
    message: passed
      ? `Under red light bars and background differ by ${percent} %.`
      : `Under the red light of a laser scanner bars and background differ by only ${percent} %: red bars look white to it. Use black, blue or green bars.`,
  };
}
