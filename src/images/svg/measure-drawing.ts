import { scanSvgTags } from "./scan-svg-tags.ts";

/**
 * Steps whose pixels depend on the position of their region, which differs in a part of a picture.
 */
const OF_REGION = /^fe(?:Tile|Image|Turbulence)$/;
const STEP = /^fe/;
const LENGTH = /\s(stdDeviation|dy|radius|scale|order)\s*=\s*"([^"]*)"/g;
/** A blur is three boxes, each less than twice its deviation. */
const BLUR_REACH = 3;

/**
 * Maximum distance over which filters use pixels above and below, in units of the drawing: all
 * steps of all filters. Infinity if it cannot be determined. `longest` is the length of 1 if
 * lengths are relative to the filtered element.
 */
export function filterReach(resolved: string, longest: number): number {
  let reach = 0;
  let unit = 1;
  for (const { kind, name, attributes } of scanSvgTags(resolved)) {
    if (name === "filter") {
      unit = /primitiveUnits\s*=\s*"objectBoundingBox"/.test(attributes) ? longest : 1;
    } else if (kind === "close" || !STEP.test(name)) {
      continue;
    } else if (OF_REGION.test(name)) {
      return Infinity;
    } else {
      for (const [, length, value = ""] of attributes.matchAll(LENGTH)) {
        const largest = Math.max(...value.split(/[\s,]+/).map((part) => Math.abs(Number(part))));
        reach += largest * (length === "stdDeviation" ? BLUR_REACH : 1) * unit;
      }
    }
  }
  return Number.isFinite(reach) ? reach : Infinity;
}

const TRANSFORM = /\stransform\s*=\s*"([^"]*)"/;

/** Largest scale of the nested transforms at any place, at least 1. */
export function largestScale(resolved: string): number {
  const scales = [1];
  let largest = 1;
  for (const { kind, attributes } of scanSvgTags(resolved)) {
    if (kind === "close") {
      scales.pop();
      continue;
    }
    const scale = (scales.at(-1) ?? 1) * scaleOf(TRANSFORM.exec(attributes)?.[1]);
    largest = Math.max(largest, scale);
    if (kind === "open") {
      scales.push(scale);
    }
  }
  return largest;
}

/**
 * Largest scale of a transform in any direction; the renderer writes every transform as a matrix.
 */
function scaleOf(transform: string | undefined): number {
  const given = /matrix\(([^)]*)\)/.exec(transform ?? "")?.[1] ?? "1 0 0 1";
  const [a = 1, b = 0, c = 0, d = 1] = given.split(/[\s,]+/).map(Number);
  return Math.max(Math.hypot(a, b), Math.hypot(c, d));
}
