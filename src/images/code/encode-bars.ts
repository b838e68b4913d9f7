import { code128, type DrawingContext, ean13 } from "bwip-js/generic";

/**
 * Widths in modules of a symbol's bars and spaces alternately, beginning and ending with a bar. The
 * text must be normalized. The library draws at one px per module into a context that only records:
 * its named functions are a fifth of the size of the import that returns widths directly.
 */
export function encodeBars(symbology: "ean13" | "code128", text: string): readonly number[] {
  const bars: { left: number; width: number }[] = [];
  const context = listener((left, width) => bars.push({ left, width }));
  const options = { bcid: symbology, text, scale: 1, includetext: false };
  if (symbology === "ean13") {
    ean13(options, context);
  } else {
    // A caret is a literal character here, not an escape.
    code128(options, context);
  }
  const widths: number[] = [];
  let end = bars[0]?.left ?? 0;
  for (const bar of bars) {
    if (bar.left > end) {
      widths.push(bar.left - end);
    }
    widths.push(bar.width);
    end = bar.left + bar.width;
  }
  const total = widths.reduce((sum, width) => sum + width, 0);
  // 3 + 6·7 + 5 + 6·7 + 3; and 11 for each character plus a stop pattern of 13.
  if (symbology === "ean13" ? total !== 95 : (total - 13) % 11 !== 0) {
    throw new Error(`The encoder returned ${total} modules for ${symbology}.`);
  }
  return widths;
}

function listener(onBar: (left: number, width: number) => void): DrawingContext<void> {
  const nothing = () => undefined;
  return {
    scale: () => null,
    measure: () => ({ width: 0, ascent: 0, descent: 0 }),
    init: nothing,
    line: (x, _y0, _x1, _y1, width) => onBar(Math.floor(x - width / 2), width),
    polygon: nothing,
    hexagon: nothing,
    ellipse: nothing,
    fill: nothing,
    text: nothing,
    end: nothing,
  };
}
