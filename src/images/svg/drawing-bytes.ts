import { scanSvgTags } from "./scan-svg-tags.ts";

export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pictures of the size of what is painted that the renderer holds at once for a group with that, as measured. */
const LAYERS = [
  [/\sclip-path\s*=/, 2.3],
  [/\smask\s*=/, 2.3],
  [/\sopacity\s*=|mix-blend-mode|isolation/, 1],
] as const;
/** For a filter, besides its steps; what each of these makes is kept until the filter is done. */
const FILTER_LAYERS = 2;
/** A filter reaches a tenth beyond what it is laid on, on each side. */
const FILTER_AREA = 1.5;
const SHADOW_STEPS = 3;
/** Nothing of a layer is kept that is further out than so many of the picture's own size, its own included. */
const OVERHANG_MAX = 4;

/**
 * About the bytes that the renderer takes for a drawing, `side` px on its longest side: the picture,
 * the layers that are open at once in the deepest place, and the largest tile of a pattern, which it
 * paints whole. In the end the picture is there twice. `resolved` is the renderer's own text of the
 * drawing, `bounds` are in that text's units. `rows` of the picture are drawn at once, all by default.
 */
export function drawingBytes(
  resolved: string,
  bounds: Bounds | undefined,
  side: number,
  rows = Infinity,
): number {
  const view = viewOf(resolved);
  const scale = side / Math.max(view.width, view.height);
  const painted = bounds ?? { width: 0, height: 0 };
  const wide = Math.ceil(view.width * scale);
  const high = Math.min(rows, Math.ceil(view.height * scale));
  const sized = (units: number, own: number) =>
    Math.min(Math.ceil(units * scale), OVERHANG_MAX * own);
  const layer = sized(painted.width, wide) * sized(painted.height, high);
  const picture = wide * high;
  const tile = largestTile(resolved, painted) * scale * scale;
  return 4 * (Math.max(2 * picture, picture + deepestLayers(resolved) * layer) + tile);
}

function viewOf(resolved: string): Size {
  const [, width = "1", height = "1"] =
    /<svg[^>]*\sviewBox="\S+ \S+ (\S+) (\S+)"/.exec(resolved) ?? [];
  return { width: Number(width), height: Number(height) };
}

/** Layers open at once in the deepest place of what is drawn, with those of the deepest mask or clip that it may use. */
function deepestLayers(resolved: string): number {
  const steps = filterSteps(resolved);
  const open: { readonly layers: number; readonly isUsed: boolean }[] = [];
  let [now, drawn, used] = [0, 0, 0];
  for (const tag of scanSvgTags(resolved)) {
    if (tag.kind === "close") {
      now -= open.pop()?.layers ?? 0;
      continue;
    }
    const isUsed = open.at(-1)?.isUsed === true || tag.name === "defs";
    const layers = layersOf(tag.attributes, steps);
    now += layers;
    if (isUsed) {
      used = Math.max(used, now);
    } else {
      drawn = Math.max(drawn, now);
    }
    if (tag.kind === "open") {
      open.push({ layers, isUsed });
    } else {
      now -= layers;
    }
  }
  return drawn + used;
}

function layersOf(attributes: string, steps: ReadonlyMap<string, number>): number {
  let layers = 0;
  for (const [attribute, count] of LAYERS) {
    layers += attribute.test(attributes) ? count : 0;
  }
  const filter = attributeOf(attributes, "filter") ?? "";
  for (const [, id = ""] of filter.matchAll(/url\(#([^)]*)\)/g)) {
    layers += FILTER_AREA * (FILTER_LAYERS + (steps.get(id) ?? 0));
  }
  return layers;
}

function filterSteps(resolved: string): ReadonlyMap<string, number> {
  const steps = new Map<string, number>();
  let filter: string | undefined;
  for (const { kind, name, attributes } of scanSvgTags(resolved)) {
    if (name === "filter") {
      filter = kind === "close" ? undefined : attributeOf(attributes, "id");
    } else if (filter !== undefined && kind !== "close" && STEP.test(name)) {
      const count = name === "feDropShadow" ? SHADOW_STEPS : 1;
      steps.set(filter, (steps.get(filter) ?? 0) + count);
    }
  }
  return steps;
}

/** Elements of a filter that make a picture. */
const STEP = /^fe(?!Func|MergeNode|\w+Light$)/;

/** The largest tile, in square units of the drawing as it is scaled where a pattern fills something. */
function largestTile(resolved: string, painted: Size): number {
  const tiles = tilesOf(resolved, painted);
  const scales = [1];
  let largest = 0;
  for (const { kind, attributes } of scanSvgTags(resolved)) {
    if (kind === "close") {
      scales.pop();
      continue;
    }
    const scale = (scales.at(-1) ?? 1) * scaleOf(attributeOf(attributes, "transform"));
    for (const [, id = ""] of attributes.matchAll(/\s(?:fill|stroke)\s*=\s*"url\(#([^)]*)\)/g)) {
      largest = Math.max(largest, (tiles.get(id) ?? 0) * scale * scale);
    }
    if (kind === "open") {
      scales.push(scale);
    }
  }
  return largest;
}

function tilesOf(resolved: string, painted: Size): ReadonlyMap<string, number> {
  const tiles = new Map<string, number>();
  for (const { kind, name, attributes } of scanSvgTags(resolved)) {
    if (name === "pattern" && kind !== "close") {
      const isOfBox = attributeOf(attributes, "patternUnits") !== "userSpaceOnUse";
      const length = (attribute: "width" | "height", of: number) =>
        Math.abs(Number(attributeOf(attributes, attribute) ?? 0)) * (isOfBox ? of : 1);
      const scale = scaleOf(attributeOf(attributes, "patternTransform"));
      const area = length("width", painted.width) * length("height", painted.height);
      tiles.set(attributeOf(attributes, "id") ?? "", area * scale * scale);
    }
  }
  return tiles;
}

/** How much longer the transforms of the deepest place make what is in it, 1 at least. */
export function largestScale(resolved: string): number {
  const scales = [1];
  let largest = 1;
  for (const { kind, attributes } of scanSvgTags(resolved)) {
    if (kind === "close") {
      scales.pop();
      continue;
    }
    const scale = (scales.at(-1) ?? 1) * scaleOf(attributeOf(attributes, "transform"));
    largest = Math.max(largest, scale);
    if (kind === "open") {
      scales.push(scale);
    }
  }
  return largest;
}

/** How much longer a transform makes what it makes longest; the renderer writes all of them as a matrix. */
function scaleOf(transform: string | undefined): number {
  const given = /matrix\(([^)]*)\)/.exec(transform ?? "")?.[1] ?? "1 0 0 1";
  const [a = 1, b = 0, c = 0, d = 1] = given.split(/[\s,]+/).map(Number);
  return Math.max(Math.hypot(a, b), Math.hypot(c, d));
}

const ATTRIBUTES = {
  filter: /\sfilter\s*=\s*"([^"]*)"/,
  height: /\sheight\s*=\s*"([^"]*)"/,
  id: /\sid\s*=\s*"([^"]*)"/,
  patternTransform: /\spatternTransform\s*=\s*"([^"]*)"/,
  patternUnits: /\spatternUnits\s*=\s*"([^"]*)"/,
  transform: /\stransform\s*=\s*"([^"]*)"/,
  width: /\swidth\s*=\s*"([^"]*)"/,
} as const;

function attributeOf(attributes: string, name: keyof typeof ATTRIBUTES): string | undefined {
  return ATTRIBUTES[name].exec(attributes)?.[1];
}
