import { XmlAttributes } from "./xml-attributes.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const DEPTH_MAX = LIMITS.workbook_xml_depth.value;
const TOKEN_CHARS_MAX = LIMITS.workbook_xml_token.value;
const ATTRIBUTES_MAX = LIMITS.workbook_xml_attributes.value;
/** Maximum number of element names that are remembered. */
const NAMES_MAX = 1_000;

const LESS = 60;
const GREATER = 62;
const SLASH = 47;
const BANG = 33;
const QUESTION = 63;
const EQUALS = 61;
const QUOTE = 34;
const APOSTROPHE = 39;
const AMPERSAND = 38;

/**
 * Characters that XML documents must not contain (XML 1.0, production 2), besides halves of
 * surrogate pairs.
 */
// oxlint-disable-next-line no-control-regex -- finds control characters on purpose
const NO_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
/** Characters that may begin a name, approximately: none with another meaning in a tag. */
const NAME_START = /^[^\s"'<>/=&!?\-.\d;#]/;

const DECLARATIONS = ["<!--", "<![CDATA[", "<!DOCTYPE"];

export interface XmlEvents {
  open(name: string, attributes: XmlAttributes): void;
  text(text: string): void;
  close(name: string): void;
}

/** The problem of the XML; completes "the part …". */
export class XmlProblem extends Error {
  override readonly name = "XmlProblem";
}

/**
 * Reads XML piece by piece: elements, text, CDATA. Comments and instructions are skipped; a DOCTYPE
 * is rejected, so that there are no entities to expand. Elements are reported by name without
 * prefix, because only one vocabulary has the names that are read. Tags, attributes and references
 * must be well-formed; depth and the length of a token are limited. Throws XmlProblem.
 */
export class XmlScanner {
  readonly #events: XmlEvents;
  readonly #attributes = new XmlAttributes((raw) => attributeValue(raw));
  /** By the text in the tag: the name without prefix. */
  readonly #names = new Map<string, string>();
  /** Names of the open elements, as written. */
  readonly #open: string[] = [];
  #rest = "";
  #textChars = 0;
  #hasRoot = false;

  constructor(events: XmlEvents) {
    this.#events = events;
  }

  write(piece: string): void {
    if (NO_CHARACTER.test(piece)) {
      throw malformed("it contains a control character");
    }
    let text = this.#rest === "" ? piece : this.#rest + piece;
    if (text.includes("\r")) {
      text = lineEnds(text);
    }
    const end = this.#scan(text);
    this.#rest = end === text.length ? "" : text.slice(end);
    if (this.#rest.length > TOKEN_CHARS_MAX) {
      throw tooLong();
    }
  }

  finish(): void {
    if (this.#rest.trim() !== "") {
      throw malformed("it ends within a tag or a text");
    }
    if (this.#open.length > 0 || !this.#hasRoot) {
      throw malformed(this.#hasRoot ? `<${this.#open.at(-1) ?? ""}> is not closed` : "it is empty");
    }
  }

  /** Reads all complete tokens; returns the offset of the first incomplete one. */
  #scan(text: string): number {
    let at = 0;
    while (at < text.length) {
      if (text.charCodeAt(at) === LESS) {
        const end = this.#markup(text, at);
        if (end < 0) {
          return at;
        }
        at = end;
      } else {
        const less = text.indexOf("<", at);
        const end = less < 0 ? lastWhole(text, at) : less;
        if (end > at) {
          this.#text(text.slice(at, end));
        }
        if (less < 0) {
          return end;
        }
        at = less;
      }
    }
    return at;
  }

  /**
   * Reads the tag, comment or similar token that begins at `at`; -1 if its end has not arrived yet.
   */
  #markup(text: string, at: number): number {
    switch (text.charCodeAt(at + 1)) {
      case SLASH:
        return this.#endTag(text, at);
      case QUESTION:
        return after(text, "?>", at + 2);
      case BANG:
        return this.#declaration(text, at);
      default:
        // NaN if nothing has arrived yet.
        return at + 1 < text.length ? this.#startTag(text, at) : -1;
    }
  }

  #declaration(text: string, at: number): number {
    if (text.startsWith("<!--", at)) {
      return after(text, "-->", at + 4);
    }
    if (text.startsWith("<![CDATA[", at)) {
      const end = text.indexOf("]]>", at + 9);
      if (end >= 0) {
        this.#textEvent(text.slice(at + 9, end));
        return end + 3;
      }
      return -1;
    }
    const start = text.slice(at, at + 9);
    if (DECLARATIONS.some((mark) => start.length < mark.length && mark.startsWith(start))) {
      return -1;
    }
    throw start === "<!DOCTYPE"
      ? new XmlProblem("has a DOCTYPE, which is not allowed")
      : malformed(`it holds ${JSON.stringify(start)}`);
  }

  #text(raw: string): void {
    if (this.#open.length === 0) {
      if (raw.trim() !== "" && raw !== "\ufeff") {
        throw malformed("there is text outside of its root");
      }
      return;
    }
    this.#textEvent(raw.includes("&") ? decodeReferences(raw) : raw);
  }

  #textEvent(text: string): void {
    this.#textChars += text.length;
    if (this.#textChars > TOKEN_CHARS_MAX) {
      throw tooLong();
    }
    if (this.#open.length === 0) {
      throw malformed("there is text outside of its root");
    }
    this.#events.text(text);
  }

  #endTag(text: string, at: number): number {
    const end = text.indexOf(">", at);
    if (end < 0) {
      return -1;
    }
    const open = this.#open.pop();
    const isIt = open !== undefined && text.startsWith(open, at + 2);
    const nameEnd = at + 2 + (open?.length ?? 0);
    if (!isIt || (nameEnd !== end && text.slice(nameEnd, end).trim() !== "")) {
      throw malformed(`${shortened(text, at, end)} closes <${open ?? ""}>`);
    }
    this.#textChars = 0;
    this.#events.close(this.#names.get(open) ?? localName(open));
    return end + 1;
  }

  #startTag(text: string, from: number): number {
    const { length } = text;
    const attributes = this.#attributes;
    let at = from + 1;
    while (at < length && !endsName(text.charCodeAt(at))) {
      at++;
    }
    const nameEnd = at;
    attributes.begin(text);
    for (;;) {
      const gap = at;
      at = skipSpace(text, at);
      if (at === length) {
        return -1;
      }
      const code = text.charCodeAt(at);
      if (code === GREATER) {
        this.#opened(text.slice(from + 1, nameEnd), false);
        return at + 1;
      }
      if (code === SLASH) {
        if (at + 1 === length) {
          return -1;
        }
        if (text.charCodeAt(at + 1) !== GREATER) {
          throw malformed(`${shortened(text, from, at)} contains a slash`);
        }
        this.#opened(text.slice(from + 1, nameEnd), true);
        return at + 2;
      }
      if (gap === at) {
        throw malformed(`${shortened(text, from, at)} lacks a space`);
      }
      at = this.#attribute(text, from, at);
      if (at < 0) {
        return -1;
      }
    }
  }

  /**
   * Reads one attribute; returns the offset after its closing quote, -1 if that has not arrived
   * yet.
   */
  #attribute(text: string, tag: number, from: number): number {
    const { length } = text;
    let at = from;
    while (at < length && !endsName(text.charCodeAt(at))) {
      at++;
    }
    const nameEnd = at;
    at = skipSpace(text, at);
    if (at === length) {
      return -1;
    }
    if (text.charCodeAt(at) !== EQUALS || nameEnd === from) {
      throw malformed(`${shortened(text, tag, at)} has an attribute without a value`);
    }
    at = skipSpace(text, at + 1);
    if (at === length) {
      return -1;
    }
    const quote = text.charCodeAt(at);
    if (quote !== QUOTE && quote !== APOSTROPHE) {
      throw malformed(`${shortened(text, tag, at)} has an attribute without quotes`);
    }
    const start = ++at;
    let hasReference = false;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        if (hasReference) {
          decodeReferences(text.slice(start, at));
        }
        if (this.#attributes.count < ATTRIBUTES_MAX + 1) {
          this.#attributes.add(from, nameEnd, start, at);
        }
        return at + 1;
      }
      if (code === LESS) {
        throw malformed(`${shortened(text, tag, at)} has "<" in an attribute`);
      }
      hasReference ||= code === AMPERSAND;
    }
    return -1;
  }

  #opened(name: string, isEmpty: boolean): void {
    if (this.#open.length === 0 && this.#hasRoot) {
      throw malformed("it has two roots");
    }
    this.#hasRoot = true;
    const attributes = this.#attributes;
    if (attributes.count > ATTRIBUTES_MAX || attributes.hasTwice) {
      throw malformed(
        `<${name.slice(0, 40)}> has an attribute twice, or more than ${ATTRIBUTES_MAX}`,
      );
    }
    let local = this.#names.get(name);
    if (local === undefined) {
      local = localName(name);
      if (!NAME_START.test(name) || local === "") {
        throw malformed(`${JSON.stringify(name.slice(0, 40))} is not the name of an element`);
      }
      if (this.#names.size < NAMES_MAX) {
        this.#names.set(name, local);
      }
    }
    this.#textChars = 0;
    if (this.#open.length === DEPTH_MAX) {
      throw new XmlProblem(`nests deeper than ${DEPTH_MAX} levels`);
    }
    this.#events.open(local, attributes);
    if (isEmpty) {
      this.#events.close(local);
    } else {
      this.#open.push(name);
    }
  }
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? -1 : at + mark.length;
}

/**
 * End of the part of an unfinished text that can be passed on: never within a reference or a line
 * break.
 */
function lastWhole(text: string, from: number): number {
  const reference = text.lastIndexOf("&");
  const isCut = reference >= from && !text.includes(";", reference);
  return isCut ? reference : text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) {
    at++;
  }
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13;
}

function endsName(code: number): boolean {
  return code <= GREATER && (isSpace(code) || ENDS_NAME.has(code));
}

const ENDS_NAME: ReadonlySet<number> = new Set([EQUALS, GREATER, SLASH, LESS, QUOTE, APOSTROPHE]);

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function attributeValue(raw: string): string {
  const spaced = /[\t\n]/.test(raw) ? raw.replaceAll(/[\t\n]/g, " ") : raw;
  return spaced.includes("&") ? decodeReferences(spaced) : spaced;
}

const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

function decodeReferences(raw: string): string {
  return raw.replaceAll(/&([^;&]*)(;?)/g, (all: string, name: string, end: string) => {
    const text = end === "" ? undefined : (NAMED.get(name) ?? numbered(name));
    if (text === undefined) {
      throw malformed(`${JSON.stringify(all.slice(0, 40))} is not a reference`);
    }
    return text;
  });
}

function numbered(name: string): string | undefined {
  const found = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name);
  if (found === null) {
    return undefined;
  }
  const code = found[1] === undefined ? Number(found[2]) : Number.parseInt(found[1], 16);
  const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  const text = isCharacter ? String.fromCodePoint(code) : "\0";
  return NO_CHARACTER.test(text) ? undefined : text;
}

function malformed(why: string): XmlProblem {
  return new XmlProblem(`is not well-formed XML: ${why}`);
}

function tooLong(): XmlProblem {
  return new XmlProblem(`has a text or tag longer than ${TOKEN_CHARS_MAX} characters`);
}

function shortened(text: string, from: number, to: number): string {
  return JSON.stringify(text.slice(from, Math.min(to + 1, from + 40)));
}

/** CRLF and CR become LF (XML 1.0, 2.11). */
function lineEnds(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
