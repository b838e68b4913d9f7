import type { DisplayItem, Fill, Stroke } from "../../../templates/display-list.ts";
import type { Effects, SvgContext } from "./svg-context.ts";
import type { GradientPlace } from "./svg-gradient.ts";
import { paintOf, strokeOf } from "./svg-paints.ts";
import type { Viewport } from "./svg-shapes.ts";
import { paintedText, placeText, placeWithoutFonts } from "./svg-text.ts";
import type { Style } from "./svg-styles.ts";
import type { SvgNode } from "./svg-node.ts";
import { length } from "./svg-values.ts";
import { fontSizeOf, type TextChunk, textChunks, type TextPiece } from "./text-chunks.ts";

/** Properties of texts whose effect is not converted. */
const UNSUPPORTED_EFFECTS: Effects = [
  ["rotate", ["0"]],
  ["word-spacing", ["0", "normal", "0px"]],
  ["writing-mode", ["horizontal-tb", "lr", "lr-tb", "rl", "rl-tb"]],
  ["font-variant", ["normal", "none"]],
  ["lengthAdjust", ["spacing"]],
];

/** A text as glyphs with their paints. */
export function textItems(
  context: SvgContext,
  node: SvgNode,
  style: Style,
  viewport: Viewport,
): DisplayItem[] {
  const chunks = textChunks(node, style, {
    styleOf: (one, parent) => context.styles.of(one, parent),
    onUnsupported: (one, part, message) => {
      textProblem(context, one, part, message);
    },
    viewport,
  });
  for (const chunk of chunks) {
    context.count(node);
    context.countCharacters(
      node,
      chunk.pieces.reduce((sum, { text }) => sum + text.length, 0),
    );
  }
  const checked = new Set<Style>();
  for (const { node: one, style: own } of chunks.flatMap(({ pieces }) => pieces)) {
    if (!checked.has(own)) {
      checked.add(own);
      context.refuse(one, own, context.options.isForElements === true ? [] : UNSUPPORTED_EFFECTS);
    }
  }
  const textLength = textLengthOf(context, node, style, viewport, chunks);
  const placed =
    context.options.fonts === undefined
      ? placeWithoutFonts(chunks)
      : placeText(chunks, context.options.fonts, textLength);
  if (placed === undefined) {
    return [];
  }
  const place = { bounds: placed.bounds, painted: placed.bounds, viewport };
  const paints = new Map<TextPiece, readonly [Fill | null, Stroke | null]>();
  return placed.items.flatMap(({ piece, item }) => {
    const [fill, stroke] =
      paints.get(piece) ?? paints.set(piece, textPaints(context, piece, place)).get(piece) ?? [];
    return paintedText(item, fill ?? null, stroke ?? null) ?? [];
  });
}

/** Elements of a document take a text approximately. */
function textProblem(context: SvgContext, node: SvgNode, part: string, message: string): void {
  if (context.options.isForElements !== true) {
    context.unsupported(node, part, message);
  }
}

function textLengthOf(
  context: SvgContext,
  node: SvgNode,
  style: Style,
  { width }: Viewport,
  chunks: readonly TextChunk[],
): number | undefined {
  const stretched = chunks
    .flatMap(({ pieces }) => pieces)
    .find((piece) => piece.node !== node && piece.node.attributes.has("textLength"));
  const wanted = length(node.attributes.get("textLength"), width, fontSizeOf(style));
  if (stretched !== undefined || (wanted !== undefined && chunks.length > 1)) {
    const message = "A textLength of a part of a text is not converted.";
    textProblem(context, stretched?.node ?? node, "textLength", message);
  }
  return wanted;
}

function textPaints(
  context: SvgContext,
  { node, style }: TextPiece,
  place: GradientPlace,
): readonly [Fill | null, Stroke | null] {
  if ((style.get("visibility") ?? "visible") !== "visible") {
    return [null, null];
  }
  const fill = paintOf(context, "fill", node, style, place);
  const stroke = strokeOf(context, node, style, place);
  if ((fill !== null && "pattern" in fill) || (stroke !== null && "pattern" in stroke)) {
    context.unsupported(
      node,
      "pattern",
      "Texts that are painted with a pattern are not converted.",
    );
    return [null, null];
  }
  const isPlain = fill?.paint.kind !== "gradient" && stroke?.paint.kind !== "gradient";
  if (stroke !== null && (!isPlain || /^\s*stroke/.test(style.get("paint-order") ?? ""))) {
    const message =
      "Texts with a stroke below their fill, or beside a gradient, are not converted.";
    textProblem(context, node, "stroke", message);
    return [fill, null];
  }
  return [fill, stroke];
}
