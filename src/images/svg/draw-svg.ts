import { initWasm, Resvg } from "@resvg/resvg-wasm";
import type { Raster } from "../raster/raster.ts";
import { checkSvg } from "./check-svg.ts";
import { scanSvgTags } from "./scan-svg-tags.ts";
import { svgError } from "./svg-error.ts";

/** Each layer is as large as the picture: at 2048 × 2048 px, 16 MiB. Four and the picture stay below 84 MiB of an isolate's 128. */
const NESTED_LAYERS_MAX = 4;
/** Each costs some 10 ms at 2048 × 2048 px, and drawing cannot be interrupted. */
const LAYERS_MAX = 200;
/** What the text comes to when every <use> is written out. */
const RESOLVED_ELEMENTS_MAX = 20_000;
const LONGEST_SIDE_MAX = 2_048;

/** An SVG resolved to plain paths: no styles, references or scripts are left in it. */
export interface ResolvedSvg {
  readonly width: number;
  readonly height: number;
  readonly text: string;
}

let ready: Promise<void> | undefined;

/** Makes the renderer ready with its compiled module. The first call's module is used for good. */
function prepare(renderer: WebAssembly.Module): Promise<void> {
  ready ??= initWasm(renderer);
  return ready;
}

/**
 * Resolves an SVG to plain paths.
 * Throws NodeError `SVG_UNDRAWABLE` with the reason (spec 1 §4.3).
 */
export async function resolveSvg(svg: string, renderer: WebAssembly.Module): Promise<ResolvedSvg> {
  checkSvg(svg);
  await prepare(renderer);
  const drawing = parse(svg);
  try {
    const { width, height } = drawing;
    if (!(width > 0 && height > 0 && Number.isFinite(width) && Number.isFinite(height))) {
      throw svgError("has no size. Give it a width and height, or a viewBox.");
    }
    const text = whole(() => drawing.toString());
    checkLayers(text);
    return { width, height, text };
  } finally {
    release(drawing);
  }
}

/**
 * Draws an SVG on a transparent ground, its longest side `longestSide` px (at most 2048).
 * Throws NodeError `SVG_UNDRAWABLE` with the reason.
 */
export async function drawSvg(
  svg: string,
  longestSide: number,
  renderer: WebAssembly.Module,
): Promise<Raster> {
  const resolved = await resolveSvg(svg, renderer);
  const side = Math.min(longestSide, LONGEST_SIDE_MAX);
  const { width: w, height: h } = resolved;
  if ((Math.min(w, h) / Math.max(w, h)) * side < 0.5) {
    throw svgError(
      `is ${w} by ${h}: drawn ${side} px long, its shorter side has no pixel. Give it a more even size.`,
    );
  }
  const drawing = parse(resolved.text, {
    mode: w >= h ? "width" : "height",
    value: side,
  });
  // From here to the end nothing waits: drawings follow one another and never share the memory.
  try {
    const image = whole(() => drawing.render());
    try {
      const { width, height } = image;
      return { rgba: unpremultiplied(image.pixels), width, height };
    } finally {
      release(image);
    }
  } finally {
    release(drawing);
  }
}

/** A trap inside the renderer is the drawing's fault, and is told as such. */
function whole<T>(step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw svgError("could not be drawn: the renderer gave up on it. Simplify it.", cause);
  }
}

/** Gives memory back. After a trap that fails too, and must not hide the reason. */
function release(held: { free(): void }): void {
  try {
    held.free();
  } catch {
    // Its memory stays taken until the isolate ends.
  }
}

function parse(
  svg: string,
  fitTo: { mode: "width" | "height"; value: number } | { mode: "original" } = { mode: "original" },
): InstanceType<typeof Resvg> {
  try {
    return new Resvg(svg, { fitTo, font: { loadSystemFonts: false } });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^SVG /, "") : "it is not valid";
    throw svgError(`cannot be read: ${reason.slice(0, 300)}. Correct it.`, cause);
  }
}

const LAYERED = /\s(?:opacity|mask|filter|clip-path)\s*=|mix-blend-mode|isolation/;

/** Groups with opacity, masks, filters or clips are painted into pictures of their own. */
function checkLayers(resolved: string): void {
  let elements = 0;
  let layers = 0;
  let nested = 0;
  const open: boolean[] = [];
  for (const tag of scanSvgTags(resolved)) {
    if (tag.kind === "close") {
      nested -= open.pop() === true ? 1 : 0;
      continue;
    }
    elements++;
    const layered = LAYERED.test(tag.attributes);
    layers += layered ? 1 : 0;
    if (tag.kind === "open") {
      open.push(layered);
      nested += layered ? 1 : 0;
    }
    if (nested > NESTED_LAYERS_MAX) {
      throw svgError(
        `nests more than ${NESTED_LAYERS_MAX} groups that have opacity, a mask, a filter or a clip. Merge them.`,
      );
    }
  }
  if (elements > RESOLVED_ELEMENTS_MAX) {
    throw svgError(
      `comes to ${elements} elements when its <use> are written out; at most ${RESOLVED_ELEMENTS_MAX} are drawn. Simplify it.`,
    );
  }
  if (layers > LAYERS_MAX) {
    throw svgError(
      `has ${layers} groups with opacity, masks, filters or clips; at most ${LAYERS_MAX} are drawn. Simplify it.`,
    );
  }
}

/** The renderer's pixels are multiplied by their alpha; ours never are. */
function unpremultiplied(pixels: Uint8Array): Uint8ClampedArray {
  const rgba = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] ?? 0;
    if (alpha !== 0 && alpha !== 255) {
      rgba[at] = ((rgba[at] ?? 0) * 255) / alpha;
      rgba[at + 1] = ((rgba[at + 1] ?? 0) * 255) / alpha;
      rgba[at + 2] = ((rgba[at + 2] ?? 0) * 255) / alpha;
    }
  }
  return rgba;
}
