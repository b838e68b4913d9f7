import { KEEP_BYTES_MAX, WasmCodec } from "../codec/wasm-codec.ts";
import type { NodeError } from "../../lib/errors/node-error.ts";
import { type Picture, type Raster, rasterPicture, readRaster } from "../raster/raster.ts";
import { checkSvg } from "./check-svg.ts";
import { FILTER_WORK_MAX, filterWork } from "./filter-work.ts";
import { filterReach, largestScale } from "./measure-drawing.ts";
import { RENDERER_BYTES_MAX } from "./renderer-memory.ts";
import { scanSvgTags, svgError } from "./scan-svg-tags.ts";
import {
  type Bounds,
  startSvgRenderer,
  type SvgDrawing,
  type SvgRenderer,
} from "./start-svg-renderer.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const NESTED_LAYERS_MAX = LIMITS.drawn_svg_nested_layers.value;
/**
 * Maximum number of groups with layers: each costs about 10 ms at 2048 × 2048 px, and drawing
 * cannot be interrupted.
 */
const LAYERS_MAX = LIMITS.drawn_svg_layers.value;
const RESOLVED_ELEMENTS_MAX = LIMITS.drawn_svg_resolved.value;
const LONGEST_SIDE_MAX = 2_048;
const MB = 1024 * 1024;

/** An SVG resolved to plain paths, without styles, references and scripts. */
export interface ResolvedSvg {
  readonly width: number;
  readonly height: number;
  readonly text: string;
}

const renderers = new WeakMap<WebAssembly.Module, WasmCodec<SvgRenderer>>();

/** The renderer of this isolate, restarted after it has grown large or has trapped. */
function rendererOf(module: WebAssembly.Module): WasmCodec<SvgRenderer> {
  const known = renderers.get(module) ?? new WasmCodec(() => startSvgRenderer(module));
  renderers.set(module, known);
  return known;
}

/**
 * Resolves an SVG to plain paths.
 * Throws NodeError `SVG_UNDRAWABLE` with the reason (docs/contract/assets.md#pictures).
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
    // The renderer returns whole units; its text has the fractions.
    const [, w = width, h = height] = /^\s*<svg width="([^"]+)" height="([^"]+)"/.exec(text) ?? [];
    return { width: Number(w), height: Number(h), text };
  });
}

/** Draws a whole SVG, like `openSvg`. Throws NodeError `SVG_UNDRAWABLE`. */
export async function drawSvg(
  svg: string,
  longestSide: number,
  renderer: WebAssembly.Module,
): Promise<Raster> {
  return readRaster(await openSvg(svg, longestSide, renderer));
}

/**
 * Draws an SVG on a transparent background, its longest side `longestSide` px (at most 2048): at
 * once if memory has room for its layers, else some rows at a time while they are read. Throws
 * NodeError `SVG_UNDRAWABLE` with the reason.
 */
export async function openSvg(
  svg: string,
  longestSide: number,
  renderer: WebAssembly.Module,
): Promise<Picture> {
  const resolved = await resolveSvg(svg, renderer);
  const side = Math.min(longestSide, LONGEST_SIDE_MAX);
  const { width: w, height: h } = resolved;
  if ((Math.min(w, h) / Math.max(w, h)) * side < 0.5) {
    throw svgError(
      `is ${w} by ${h}: if drawn ${side} px long, its shorter side has no pixel. Use a more even size.`,
    );
  }
  checkFilters(resolved, side);
  const codec = rendererOf(renderer);
  try {
    return rasterPicture(await drawn(codec, resolved.text, fitOf(resolved, side)));
  } catch (error) {
    if (!(error instanceof RendererStopped)) {
      throw error;
    }
  }
  // There is no room for the whole drawing. The trapped renderer has been dropped with its memory;
  // each part gets its own.
  const bounds = await codec.use(({ exports }) => {
    const drawing = open(() => exports.open(resolved.text, fitOf(resolved, side)));
    const around = drawing.bounds();
    drawing.free();
    return around;
  });
  const parts = partsOf(resolved, bounds, side);
  if (parts.length === 0) {
    throw tooMuch(side);
  }
  const { width, height } = pixelSize(resolved, side);
  return {
    width,
    height,
    isOpaque: false,
    async *stripes() {
      let size = 0;
      for (let top = 0; top < height;) {
        const count = Math.min(parts[size] ?? 0, height - top);
        try {
          yield await drawnRows(codec, resolved, { width, height }, top, count);
          top += count;
        } catch (error) {
          if (!(error instanceof RendererStopped)) {
            throw error;
          }
          size++;
          if (size === parts.length) {
            throw tooMuch(side);
          }
        }
      }
    },
  };
}

/** The renderer trapped: it ran out of memory, or failed. Its instance is not used again. */
class RendererStopped extends Error {}

function tooMuch(side: number): NodeError {
  return svgError(
    `needs more than ${RENDERER_BYTES_MAX / MB} MB to be drawn ${side} px long, or cannot be drawn. Remove filters, masks and clips, nested opacity, and content beyond its edges.`,
  );
}

interface Fit {
  readonly side: "width" | "height";
  readonly px: number;
}

function fitOf({ width, height }: ResolvedSvg, px: number): Fit {
  return { side: width >= height ? "width" : "height", px };
}

/** Rounded like in the renderer. */
function pixelSize({ width, height }: ResolvedSvg, side: number) {
  return width >= height
    ? { width: side, height: Math.max(1, Math.round((side * height) / width)) }
    : { width: Math.max(1, Math.round((side * width) / height)), height: side };
}

/** Draws and returns the pixels in the renderer's memory if the renderer is dropped afterwards. */
function drawn(codec: WasmCodec<SvgRenderer>, text: string, fit: Fit): Promise<Raster> {
  // An error on the way drops the renderer with its memory.
  return codec.use(({ exports, memory }) => {
    const drawing = open(() => exports.open(text, fit));
    const pixels = render(drawing);
    unmultiply(pixels.rgba);
    if (memory.buffer.byteLength > KEEP_BYTES_MAX) {
      return pixels;
    }
    const raster = { ...pixels, rgba: pixels.rgba.slice() };
    drawing.free();
    return raster;
  });
}

/**
 * Rows of the picture as a separate drawing: the same one, in a window that shows only these rows.
 */
async function drawnRows(
  codec: WasmCodec<SvgRenderer>,
  resolved: ResolvedSvg,
  { width, height }: { readonly width: number; readonly height: number },
  top: number,
  count: number,
): Promise<Uint8ClampedArray> {
  const unit = resolved.height / height;
  // Slightly less, so that rounding adds no row.
  const high = count * unit * (1 - 1e-6);
  const inner = resolved.text
    .trim()
    .replace(
      /^<svg width="[^"]*" height="[^"]*"/,
      `<svg width="${resolved.width}" height="${resolved.height}" overflow="visible"`,
    );
  const text = `<svg width="${resolved.width}" height="${high}" viewBox="0 ${top * unit} ${resolved.width} ${high}" preserveAspectRatio="none" xmlns="http://www.w3.org/2000/svg">${inner}</svg>`;
  const fit: Fit =
    resolved.width >= high ? { side: "width", px: width } : { side: "height", px: count };
  const { rgba, ...size } = await drawn(codec, text, fit);
  if (size.width !== width || size.height !== count) {
    throw new Error(
      `${count} rows of ${width} px were drawn as ${size.width} × ${size.height} px.`,
    );
  }
  // Copied out of the renderer's memory, which is reused for the next rows.
  return rgba.slice();
}

function render(drawing: SvgDrawing): Raster {
  try {
    return drawing.pixels();
  } catch (cause) {
    throw new RendererStopped("The renderer stopped.", { cause });
  }
}

/** A trap inside the renderer is caused by the drawing, and is reported as the drawing's fault. */
function whole<T>(step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw svgError("could not be drawn: the renderer failed. Simplify it.", cause);
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

/** Numbers of parts in which a picture is drawn, tried in this order. */
const ROWS = [512, 256, 128];
/** Constructs that the renderer draws differently in a part of a picture. */
const WHOLE_ONLY = /<(?:clipPath|mask|pattern)\b/;

/**
 * Number of rows that may be drawn at once so that the parts equal the whole; undefined if parts
 * would never be equal.
 */
function partsOf(
  { text, width, height }: ResolvedSvg,
  bounds: Bounds | undefined,
  side: number,
): readonly number[] {
  if (deepestNesting(text) > 1 || WHOLE_ONLY.test(text)) {
    return [];
  }
  const longest = Math.max(width, height);
  const painted = Math.max(longest, bounds?.width ?? 0, bounds?.height ?? 0);
  const reach = (filterReach(text, painted) * largestScale(text) * side) / longest;
  // Filters only see rows below that are drawn.
  return ROWS.filter((rows) => reach < rows);
}

/** Nesting of layers, counted from 1. */
function deepestNesting(resolved: string): number {
  const open: boolean[] = [];
  let [now, deepest] = [0, 0];
  for (const { kind, attributes } of scanSvgTags(resolved)) {
    if (kind === "close") {
      now -= open.pop() === true ? 1 : 0;
      continue;
    }
    const isLayer = LAYERED.test(attributes);
    deepest = Math.max(deepest, now + (isLayer ? 1 : 0));
    if (kind === "open") {
      open.push(isLayer);
      now += isLayer ? 1 : 0;
    }
  }
  return deepest;
}

/** Groups with opacity, masks, filters or clips are painted on layers of their own. */
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
        `nests more than ${NESTED_LAYERS_MAX} groups with opacity, a mask, a filter or a clip. Merge them.`,
      );
    }
  }
  if (elements > RESOLVED_ELEMENTS_MAX) {
    throw svgError(
      `has ${elements} elements after its <use> are expanded; at most ${RESOLVED_ELEMENTS_MAX} can be drawn. Simplify it.`,
    );
  }
  if (layers > LAYERS_MAX) {
    throw svgError(
      `has ${layers} groups with opacity, masks, filters or clips; at most ${LAYERS_MAX} can be drawn. Simplify it.`,
    );
  }
}

/** A filter cannot be interrupted while it is drawn, and hundreds of steps take many seconds. */
function checkFilters(resolved: ResolvedSvg, side: number): void {
  const { work, most } = filterWork(resolved.text, resolved, pixelSize(resolved, side));
  if (work > FILTER_WORK_MAX && most !== undefined) {
    throw svgError(
      `has filters that need ${Math.ceil(work)} megapixel steps at ${side} px; at most ${FILTER_WORK_MAX} can be drawn. Most of it is the <${most.element}> in the filter "${most.filter.slice(0, 60)}". Remove steps, reduce its radius or its region, or send the drawing as a PNG.`,
    );
  }
}

/** The renderer's pixels are premultiplied; the service's are not. */
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
