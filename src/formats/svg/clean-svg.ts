import { SaxesParser, type SaxesTagNS } from "saxes";
import { cleanStyleSheet } from "./clean-css.ts";
import { cleanSvgAttributes, type CleanAttribute, XLINK_NS } from "./clean-svg-attributes.ts";
import { decodeXml } from "./decode-xml.ts";
import { LEAF_ELEMENTS, SVG_ELEMENTS, TEXT_ELEMENTS } from "./svg-allow-list.ts";
import { SvgMalformedError } from "./svg-malformed-error.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/**
 * Maximum size: the text is held in memory and parsed at once. Most SVGs have some KB; larger ones
 * contain pictures.
 */
export const SVG_BYTES_MAX = LIMITS.svg_file.value;
export const ELEMENTS_MAX = LIMITS.svg_elements.value;
const DEPTH_MAX = LIMITS.svg_depth.value;

const SVG_NS = "http://www.w3.org/2000/svg";

/**
 * Returns an SVG with only the allowed parts (docs/contract/assets.md#svg-files): no scripts,
 * handlers, animation, foreign content, external links or styles. Cleaning is idempotent and does
 * not change the drawing. Throws SvgMalformedError if the text is not well-formed SVG. Pass at most
 * SVG_BYTES_MAX.
 */
export function cleanSvg(bytes: Uint8Array): Uint8Array {
  return new TextEncoder().encode(cleanSvgText(decodeXml(bytes)));
}

/** As `cleanSvg`, of a drawing that is text already: an encoding that it declares does not apply. */
export function cleanSvgText(svg: string): string {
  const cleaner = new SvgCleaner();
  cleaner.parse(svg);
  return cleaner.finish();
}

interface OpenElement {
  readonly name: string;
  readonly isText: boolean;
  readonly attributes: readonly CleanAttribute[];
  /** Whether its start tag is written without its closing bracket: `<path …`. */
  isBare: boolean;
  /** Characters of a style sheet, cleaned at the end of the element. */
  css: string;
}

class SvgCleaner {
  readonly #parts: string[] = [];
  readonly #open: OpenElement[] = [];
  /** Depth inside an element that is removed; its end tag ends the removal. */
  #skipped = 0;
  #depth = 0;
  #elements = 0;
  #usesXlink = false;
  #root: OpenElement | undefined;
  /** Namespace of the root: in files without one, all elements count as SVG. */
  #namespace = SVG_NS;

  parse(xml: string): void {
    const parser = new SaxesParser({ xmlns: true, position: false });
    parser.on("error", (error) => {
      throw new SvgMalformedError(
        `It is not well-formed XML: ${reasonOf(error)}. Fix it in the program that created it.`,
      );
    });
    parser.on("doctype", (text) => {
      if (text.includes("[")) {
        throw new SvgMalformedError(
          "Its DOCTYPE declares entities, which are not expanded. Save it without them.",
        );
      }
    });
    parser.on("opentag", (tag) => {
      this.#openTag(tag);
    });
    parser.on("closetag", () => {
      this.#closeTag();
    });
    const onText = (text: string) => {
      this.#text(text);
    };
    parser.on("text", onText);
    parser.on("cdata", onText);
    parser.write(xml).close();
  }

  finish(): string {
    if (this.#root === undefined) {
      throw new SvgMalformedError("It contains no element. Send a complete SVG document.");
    }
    const xlink = this.#usesXlink ? ` xmlns:xlink="${XLINK_NS}"` : "";
    return `<svg xmlns="${SVG_NS}"${xlink}${this.#parts.join("")}`;
  }

  #openTag(tag: SaxesTagNS): void {
    this.#depth++;
    this.#elements++;
    if (this.#depth > DEPTH_MAX || this.#elements > ELEMENTS_MAX) {
      throw new SvgMalformedError(
        this.#depth > DEPTH_MAX
          ? `It nests elements deeper than ${DEPTH_MAX}. Flatten its groups.`
          : `It has more than ${ELEMENTS_MAX} elements. Simplify it.`,
      );
    }
    if (this.#root === undefined) {
      this.#checkRoot(tag);
    }
    const parent = this.#open.at(-1);
    if (this.#skipped > 0 || !this.#isKept(tag, parent)) {
      this.#skipped++;
      return;
    }
    const attributes = cleanSvgAttributes(tag);
    if (attributes === undefined) {
      this.#skipped++;
      return;
    }
    const element: OpenElement = {
      name: tag.local,
      isText: TEXT_ELEMENTS.has(tag.local) || (tag.local === "a" && parent?.isText === true),
      attributes,
      isBare: true,
      css: "",
    };
    this.#usesXlink ||= attributes.some(({ name }) => name.startsWith("xlink:"));
    if (this.#root === undefined) {
      // The start tag with its namespaces is written last, when the used ones are known.
      this.#root = element;
      this.#parts.push(markup(attributes));
    } else if (element.name !== "style") {
      this.#endStartTag();
      this.#parts.push(`<${element.name}${markup(attributes)}`);
    }
    this.#open.push(element);
  }

  #checkRoot(tag: SaxesTagNS): void {
    if (tag.local !== "svg" || (tag.uri !== SVG_NS && tag.uri !== "")) {
      throw new SvgMalformedError(
        `Its root is <${tag.name.slice(0, 40)}> and must be <svg xmlns="${SVG_NS}">.`,
      );
    }
    this.#namespace = tag.uri;
  }

  #isKept(tag: SaxesTagNS, parent: OpenElement | undefined): boolean {
    return (
      tag.uri === this.#namespace &&
      SVG_ELEMENTS.has(tag.local) &&
      (parent === undefined || !LEAF_ELEMENTS.has(parent.name))
    );
  }

  #closeTag(): void {
    this.#depth--;
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    const element = this.#open.pop();
    if (element === undefined) {
      return;
    }
    if (element.name === "style") {
      this.#closeStyle(element);
    } else {
      this.#parts.push(element.isBare ? "/>" : `</${element.name}>`);
    }
  }

  /** A style sheet that is empty after cleaning is removed. */
  #closeStyle(element: OpenElement): void {
    const css = cleanStyleSheet(element.css);
    if (css !== "") {
      this.#endStartTag();
      this.#parts.push(`<style${markup(element.attributes)}>${escapeText(css)}</style>`);
    }
  }

  #text(text: string): void {
    const element = this.#open.at(-1);
    if (this.#skipped > 0 || element === undefined || !element.isText || text === "") {
      return;
    }
    if (element.name === "style") {
      element.css += text;
      return;
    }
    this.#endStartTag();
    this.#parts.push(escapeText(text));
  }

  /** Marks the element as not empty, before something is written into it. */
  #endStartTag(): void {
    const parent = this.#open.at(-1);
    if (parent?.isBare === true) {
      parent.isBare = false;
      this.#parts.push(">");
    }
  }
}

function markup(attributes: readonly CleanAttribute[]): string {
  return attributes.map(({ name, value }) => ` ${name}="${escapeAttribute(value)}"`).join("");
}

function escapeText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

/** Line breaks and tabs as references: a parser would read literal ones as spaces. */
function escapeAttribute(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function reasonOf(error: Error): string {
  return error.message
    .replace(/^[^:]*\d+:\d+:\s*/, "")
    .replace(/\.$/, "")
    .slice(0, 120);
}
