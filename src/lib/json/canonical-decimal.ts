const TOKEN = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A JSON number token in plain notation: no exponent, no leading or trailing zeros, no minus zero.
 * Every digit is kept. Tokens with an exponent beyond ±1000 are returned unchanged, because the
 * plain notation would be too long.
 */
export function canonicalDecimal(token: string): string {
  const match = TOKEN.exec(token);
  if (match === null) {
    return token;
  }
  const [, sign = "", whole = "", fraction = "", exponentText = "0"] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > 1000) {
    return token;
  }
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const at = Math.max(point, 1);
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, "");
  // A loop, not /0+$/, which is quadratic on a long run of zeros before another digit.
  let end = padded.length;
  while (end > at && padded[end - 1] === "0") {
    end -= 1;
  }
  const rest = padded.slice(at, end);
  const plain = rest === "" ? integer : `${integer}.${rest}`;
  return plain === "0" ? "0" : sign + plain;
}
