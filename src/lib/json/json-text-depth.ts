const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Whether JSON text nests deeper than `maxDepth` levels of arrays and objects. One pass without
 * recursion, for text that has not been parsed: later recursion over the value (validation,
 * serialization) would exhaust the stack long before `JSON.parse` does.
 */
export function isJsonTextDeeperThan(text: string, maxDepth: number): boolean {
  // Two brackets per level: shorter text is either not too deep, or unbalanced and fails to parse.
  if (text.length <= maxDepth * 2) {
    return false;
  }
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      at = endOfJsonString(text, at);
    } else if (char === OPEN_OBJECT || char === OPEN_ARRAY) {
      depth++;
      if (depth > maxDepth) {
        return true;
      }
    } else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) {
      depth--;
    }
  }
  return false;
}

/** Index of the quote that closes the string opened at `open`, or the end of the text. */
export function endOfJsonString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1) {
    let slashes = 0;
    while (text.charCodeAt(close - 1 - slashes) === BACKSLASH) {
      slashes++;
    }
    if (slashes % 2 === 0) {
      return close;
    }
    close = text.indexOf('"', close + 1);
  }
  return text.length;
}
