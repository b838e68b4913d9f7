import { KEEP_BYTES_MAX, WasmCodec } from "../codec/wasm-codec.ts";
import type { Raster } from "../raster/raster.ts";
import { checkSvg } from "./check-svg.ts";
import { type Bounds, drawingBytes } from "./drawing-bytes.ts";
import { scanSvgTags } from "./scan-svg-tags.ts";
import { startSvgRenderer, type SvgDrawing, type SvgRenderer } from "./start-svg-renderer.ts";
import { svgError } from "./svg-error.ts";

const NESTED_LAYERS_MAX = 4;
/** Each costs some 10 ms at 2048 × 2048 px, and drawing cannot be interrupted. */
const LAYERS_MAX = 200;
/** What the text comes to when every <use> is written out. */
const RESOLVED_ELEMENTS_MAX = 20_000;
const LONGEST_SIDE_MAX = 2_048;
const MB = 1024 * 1024;

/** An SVG resolved to plain paths: no styles, references or scripts are left in it. */
export interface ResolvedSvg {
  readonly width: number;
  readonly height: number;
  readonly text: string;
}

const renderers = new WeakMap<WebAssembly.Module, WasmCodec<SvgRenderer>>();

/** The renderer of this isolate, started anew once it has grown large or has trapped. */
function rendererOf(module: WebAssembly.Module): WasmCodec<SvgRenderer> {
  const known = renderers.get(module) ?? new WasmCodec(() => startSvgRenderer(module));
  renderers.set(module, known);
  return known;
}

/**
 * Resolves an SVG to plain paths.
 * Throws NodeError `SVG_UNDRAWABLE` with the reason (spec 1 §4.3).
 */
export async function resolveSvg(svg: string, renderer: WebAssembly.Module): Promise<ResolvedSvg> {
  checkSvg(svg);
  return rendererOf(renderer).use(({ exports }) => {
    const drawing = open(() => exports.open(svg));
    const { width, height } = drawing;
    if (!(width > 0 && height > 0 && Number.isFinite(width) && Number.isFinite(height))) {
      throw svgError("has no size. Give it a width and height, or a viewBox.");
    }
    const text = whole(() => drawing.resolved());
    checkLayers(text);
    drawing.free();
    return { width, height, text };
  });
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
  // What throws on the way gives the renderer up, with the memory that it still holds.
  return rendererOf(renderer).use(({ exports, memory }) => {
    const drawing = open(() =>
      exports.open(resolved.text, { side: w >= h ? "width" : "height", px: side }),
    );
    checkMemory(resolved.text, drawing.bounds(), side);
    const drawn = whole(() => drawing.pixels());
    unmultiply(drawn.rgba);
    if (memory.buffer.byteLength > KEEP_BYTES_MAX) {
      // Given up after this, so that it is the pixels' own.
      return drawn;
    }
    const raster = { ...drawn, rgba: drawn.rgba.slice() };
    drawing.free();
    return raster;
  });
}

/** A trap inside the renderer is the drawing's fault, and is told as such. */
function whole<T>(step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw svgError("could not be drawn: the renderer gave up on it. Simplify it.", cause);
  }
}

function open(step: () => SvgDrawing): SvgDrawing {
  try {
    return step();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^SVG /, "") : "it is not valid";
    throw svgError(`cannot be read: ${reason.slice(0, 300)}. Correct it.`, cause);
  }
}

const LAYERED = /\s(?:opacity|mask|filter|clip-path)\s*=|mix-blend-mode|isolation/;

/** What the renderer takes, the picture itself included, of the 128 MB that an isolate has. */
const DRAWING_BYTES_MAX = 96 * 1024 * 1024;

/** Throws where layers would take more than there is: one is as large as what is in it, beyond the picture's edges too. */
function checkMemory(resolved: string, bounds: Bounds | undefined, side: number): void {
  const bytes = drawingBytes(resolved, bounds, side);
  if (bytes > DRAWING_BYTES_MAX) {
    throw svgError(
      `takes about ${Math.ceil(bytes / MB)} MB to draw ${side} px long; at most ${DRAWING_BYTES_MAX / MB} are given. Take away filters, or opacity, masks and clips on what lies beyond its edges.`,
    );
  }
}

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
function unmultiply(rgba: Uint8ClampedArray): void {
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] ?? 0;
    if (alpha !== 0 && alpha !== 255) {
      rgba[at] = ((rgba[at] ?? 0) * 255) / alpha;
      rgba[at + 1] = ((rgba[at + 1] ?? 0) * 255) / alpha;
      rgba[at + 2] = ((rgba[at + 2] ?? 0) * 255) / alpha;
    }
  }
}
