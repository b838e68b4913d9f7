import { scanSvgTags, svgError } from "./scan-svg-tags.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const SVG_BYTES_MAX = LIMITS.drawn_svg_file.value;
const SVG_ELEMENTS_MAX = LIMITS.drawn_svg_elements.value;
const SVG_DEPTH_MAX = LIMITS.drawn_svg_depth.value;

/**
 * Rejects, before any parser runs, an SVG that the renderer cannot draw completely: pictures and
 * text would silently be missing, because it loads neither files nor fonts. Throws NodeError
 * `SVG_UNDRAWABLE` with the reason.
 */
export function checkSvg(svg: string): void {
  // There are at most as many UTF-16 units as UTF-8 bytes, so long texts are rejected without
  // encoding them.
  const bytes = svg.length > SVG_BYTES_MAX ? svg.length : new TextEncoder().encode(svg).length;
  if (bytes > SVG_BYTES_MAX) {
    throw svgError(`has ${bytes} bytes; at most ${SVG_BYTES_MAX} are drawn. Simplify it.`);
  }
  if (/<!DOCTYPE[^>[]*\[/i.test(svg)) {
    throw svgError("declares entities in a DOCTYPE, which are not expanded. Write them out.");
  }
  let elements = 0;
  let depth = 0;
  for (const tag of scanSvgTags(svg)) {
    if (tag.kind === "close") {
      depth--;
      continue;
    }
    elements++;
    depth += tag.kind === "open" ? 1 : 0;
    if (depth > SVG_DEPTH_MAX) {
      throw svgError(`nests elements deeper than ${SVG_DEPTH_MAX}. Flatten its groups.`);
    }
    if (tag.name === "image" || tag.name === "feImage") {
      throw svgError(
        `embeds a picture (<${tag.name}>), which is not drawn. Use the picture itself, or trace it to paths.`,
      );
    }
    if (tag.name === "text") {
      throw svgError(
        "contains <text>, and no fonts are loaded to draw it. Convert the text to outlines.",
      );
    }
  }
  if (elements === 0) {
    throw svgError("contains no element. Send a complete SVG document.");
  }
  if (elements > SVG_ELEMENTS_MAX) {
    throw svgError(
      `has ${elements} elements; at most ${SVG_ELEMENTS_MAX} can be drawn. Merge paths or simplify it.`,
    );
  }
}

/** The text of an SVG file. Throws NodeError `SVG_UNDRAWABLE` if it is not UTF-8. */
export function decodeSvgText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (cause) {
    throw svgError("is not UTF-8. Save it as UTF-8.", cause);
  }
}
