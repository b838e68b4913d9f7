import { NodeError } from "../../lib/errors/node-error.ts";

export interface SvgTag {
  readonly kind: "open" | "close" | "empty";
  /** Without a prefix. */
  readonly name: string;
  /** Everything between the name and the end of the tag. */
  readonly attributes: string;
}

const NAME = /[^\s/>]*/y;

/**
 * The tags of an XML text in order, without comments, CDATA, instructions and a DOCTYPE, in one
 * linear pass. It is not a parser: it counts elements and finds names before a parser gets the
 * text. Stops at an unclosed construct, which a parser rejects anyway.
 */
export function* scanSvgTags(xml: string): Generator<SvgTag> {
  let at = xml.indexOf("<");
  while (at !== -1) {
    const skipped = skipMarkup(xml, at);
    if (skipped === -1) {
      return;
    }
    if (skipped > at) {
      at = xml.indexOf("<", skipped);
      continue;
    }
    const closing = xml[at + 1] === "/";
    NAME.lastIndex = at + (closing ? 2 : 1);
    const fullName = NAME.exec(xml)?.[0] ?? "";
    const end = tagEnd(xml, NAME.lastIndex);
    if (end === -1) {
      return;
    }
    const empty = xml[end - 1] === "/";
    yield {
      kind: closing ? "close" : empty ? "empty" : "open",
      name: fullName.slice(fullName.indexOf(":") + 1),
      attributes: xml.slice(NAME.lastIndex, end),
    };
    at = xml.indexOf("<", end);
  }
}

/**
 * End of the comment, CDATA section, instruction or declaration at `at`; `at` if there is none, -1
 * if it does not end.
 */
function skipMarkup(xml: string, at: number): number {
  for (const [start, end] of [
    ["<!--", "-->"],
    ["<![CDATA[", "]]>"],
    ["<?", "?>"],
    ["<!", ">"],
  ] as const) {
    if (xml.startsWith(start, at)) {
      const found = xml.indexOf(end, at + start.length);
      return found === -1 ? -1 : found + end.length;
    }
  }
  return at;
}

/** The `>` that ends a tag, outside of quotes. */
function tagEnd(xml: string, from: number): number {
  let at = from;
  while (at < xml.length) {
    const character = xml[at];
    if (character === ">") {
      return at;
    }
    if (character === '"' || character === "'") {
      at = xml.indexOf(character, at + 1);
      if (at === -1) {
        return -1;
      }
    }
    at++;
  }
  return -1;
}

/**
 * A reason why a drawing cannot be converted to pixels (docs/contract/assets.md#pictures). `reason`
 * continues "The SVG …".
 */
export function svgError(reason: string, cause?: unknown): NodeError {
  return new NodeError("SVG_UNDRAWABLE", `The SVG ${reason}`, cause === undefined ? {} : { cause });
}
