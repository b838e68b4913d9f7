import { SaxesParser, type SaxesTagNS } from "saxes";
import { cleanStyleSheet } from "./clean-css.ts";
import { cleanSvgAttributes, type CleanAttribute, XLINK_NS } from "./clean-svg-attributes.ts";
import { decodeXml } from "./decode-xml.ts";
import { LEAF_ELEMENTS, SVG_ELEMENTS, TEXT_ELEMENTS } from "./svg-allow-list.ts";
import { SvgMalformedError } from "./svg-malformed-error.ts";

/** Held as text and parsed at once. Most SVGs have some KB; what is larger holds pictures. */
export const SVG_BYTES_MAX = 8 * 1024 * 1024;
export const ELEMENTS_MAX = 100_000;
/** The parser's work for a name grows with the depth at which it stands. */
const DEPTH_MAX = 200;

const SVG_NS = "http://www.w3.org/2000/svg";

/**
 * An SVG with only what is allowed in it (docs/contract/assets.md#svg-files): no scripts, handlers, animation,
 * foreign content, external links or styles. Cleaning it again changes nothing, and it draws as
 * before. Throws SvgMalformedError for what is no well-formed SVG. Give at most SVG_BYTES_MAX.
 */
export function cleanSvg(bytes: Uint8Array): Uint8Array {
  const cleaner = new SvgCleaner();
  cleaner.parse(decodeXml(bytes));
  return new TextEncoder().encode(cleaner.finish());
}

interface OpenElement {
  readonly name: string;
  readonly isText: boolean;
  readonly attributes: readonly CleanAttribute[];
  /** Whether its start tag has been written with its end still open: `<path …`. */
  isBare: boolean;
  /** Characters of a style sheet, cleaned as a whole at its end. */
  css: string;
}

class SvgCleaner {
  readonly #parts: string[] = [];
  readonly #open: OpenElement[] = [];
  /** Elements inside one that is left out; its end tag ends it. */
  #skipped = 0;
  #depth = 0;
  #elements = 0;
  #usesXlink = false;
  #root: OpenElement | undefined;
  /** Namespace of the root: files without one are taken as SVG throughout. */
  #namespace = SVG_NS;

  parse(xml: string): void {
    const parser = new SaxesParser({ xmlns: true, position: false });
    parser.on("error", (error) => {
      throw new SvgMalformedError(
        `It is not well-formed XML: ${reasonOf(error)}. Mend it in the program that made it.`,
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
      throw new SvgMalformedError("It holds no element. Send a whole SVG document.");
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
      // Its start, with the namespaces, is written last, when it is known which are used.
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

  /** A style sheet with nothing left in it goes. */
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

  /** The element that something is now put into is not empty. */
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

/** Line ends and tabs as references: written out, a parser would read them as spaces. */
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
