import { scanSvgTags } from "./scan-svg-tags.ts";

const TRANSFORM = /\stransform\s*=\s*"([^"]*)"/;

/** How much longer the transforms of the deepest place make what is in it, 1 at least. */
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

/** How much longer a transform makes what it makes longest; the renderer writes all of them as a matrix. */
function scaleOf(transform: string | undefined): number {
  const given = /matrix\(([^)]*)\)/.exec(transform ?? "")?.[1] ?? "1 0 0 1";
  const [a = 1, b = 0, c = 0, d = 1] = given.split(/[\s,]+/).map(Number);
  return Math.max(Math.hypot(a, b), Math.hypot(c, d));
}
