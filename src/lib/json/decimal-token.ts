/** A decimal as sign, significant digits (no zeros at either end, empty for zero) and the exponent of the first digit. */
export interface DecimalParts {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/** Splits a JSON number token into its parts, in time linear in its length. */
export function decimalParts(token: string): DecimalParts {
  const negative = token.startsWith("-");
  const mantissaEnd = token.search(/[eE]/);
  const mantissa = token.slice(negative ? 1 : 0, mantissaEnd === -1 ? undefined : mantissaEnd);
  const scale = mantissaEnd === -1 ? 0 : Number(token.slice(mantissaEnd + 1));
  const dot = mantissa.indexOf(".");
  const integerLength = dot === -1 ? mantissa.length : dot;
  const all = dot === -1 ? mantissa : mantissa.slice(0, dot) + mantissa.slice(dot + 1);
  // Loops, not /0+$/, which is quadratic on a long run of inner zeros.
  let start = 0;
  while (start < all.length && all[start] === "0") {
    start += 1;
  }
  let end = all.length;
  while (end > start && all[end - 1] === "0") {
    end -= 1;
  }
  return start === end
    ? { negative: false, digits: "", exponent: 0 }
    : { negative, digits: all.slice(start, end), exponent: integerLength - 1 - start + scale };
}
