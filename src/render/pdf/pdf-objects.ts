import {
  PDFArray,
  PDFBool,
  PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  PDFObject,
  PDFRef,
  PDFString,
} from "pdf-lib";
import type { Matrix } from "../../templates/display-list.ts";
import { factor, hexDigits, num, utf16Hex } from "./pdf-syntax.ts";

/** An object, or a number or boolean. A text is a name, as most texts in dictionaries are. */
export type PdfValue = PDFObject | string | number | boolean;

/** Entries of a dictionary by their names. Those that are undefined are left out. */
export type PdfEntries = Readonly<Record<string, PdfValue | undefined>>;

/** Dictionaries and arrays of pdf-lib resolve references in a context. In this one no object is registered. */
const CONTEXT = PDFContext.create();

export function dictOf(entries: PdfEntries): PDFDict {
  const map = new Map<PDFName, PDFObject>();
  for (const key in entries) {
    const value = entries[key];
    if (value !== undefined) {
      map.set(nameOf(key), objectOf(value));
    }
  }
  return PDFDict.fromMapWithContext(map, CONTEXT);
}

/** Names of our own: keys of dictionaries, and those of resources, which are numbered from 1 in each file. */
const NAMES = new Map<string, PDFName>();
/** Widths of glyphs are below, in thousandths of the font size, and most sizes. */
const INTEGERS_MAX = 2_048;
const INTEGERS: PDFNumber[] = [];

/** A dictionary of names that are objects already. */
export function mapOf(entries: Iterable<readonly [PDFName, PDFObject]>): PDFDict {
  return PDFDict.fromMapWithContext(new Map(entries), CONTEXT);
}

export function arrayOf(values: Iterable<PdfValue>): PDFArray {
  const array = PDFArray.withContext(CONTEXT);
  for (const value of values) {
    array.push(objectOf(value));
  }
  return array;
}

function objectOf(value: PdfValue): PDFObject {
  switch (typeof value) {
    case "string":
      return nameOf(value);
    case "number":
      return numberOf(value);
    case "boolean":
      return value ? PDFBool.True : PDFBool.False;
    default:
      return value;
  }
}

/** pdf-lib looks for escapes in each name before it finds it among those that it keeps. */
function nameOf(text: string): PDFName {
  let name = NAMES.get(text);
  if (name === undefined) {
    name = PDFName.of(text);
    NAMES.set(text, name);
  }
  return name;
}

/** pdf-lib looks for an exponent in each number. */
function numberOf(value: number): PDFNumber {
  return Number.isInteger(value) && value >= 0 && value < INTEGERS_MAX
    ? (INTEGERS[value] ??= PDFNumber.of(value))
    : PDFNumber.of(value);
}

/** A reference to an object by its number. */
export function refOf(number: number): PDFRef {
  return PDFRef.of(number);
}

export function refsOf(numbers: readonly number[]): PDFArray {
  return arrayOf(numbers.map(refOf));
}

/** A length or coordinate, as `num` writes it. Throws like `num`. */
export function lengthOf(value: number): PDFNumber {
  return numberOf(Number(num(value)));
}

export function lengthsOf(values: readonly number[]): PDFArray {
  return arrayOf(values.map(lengthOf));
}

/** A factor, as `factor` writes it. Throws like `num`. */
export function factorOf(value: number): PDFNumber {
  return numberOf(Number(factor(value)));
}

export function factorsOf(values: readonly number[]): PDFArray {
  return arrayOf(values.map(factorOf));
}

export function matrixOf([a, b, c, d, e, f]: Matrix): PDFArray {
  return arrayOf([...[a, b, c, d].map(factorOf), lengthOf(e), lengthOf(f)]);
}

/** A text string: in parentheses if it is ASCII, else UTF-16 with its mark, in hex. */
export function textOf(text: string): PDFString | PDFHexString {
  return /^[\t\n\x20-\x7e]*$/.test(text) ? asciiOf(text) : PDFHexString.of(`FEFF${utf16Hex(text)}`);
}

/** Only for ASCII. */
export function asciiOf(text: string): PDFString {
  const escaped = text
    .replace(/[\\()]/g, "\\$&")
    .replace(/\r/g, "\\r")
    .replace(/\n/g, "\\n");
  return PDFString.of(escaped);
}

export function bytesOf(bytes: Uint8Array): PDFHexString {
  return PDFHexString.of(hexDigits(bytes));
}

/** In UTC, to the second. */
export function dateOf(date: Date): PDFString {
  return PDFString.fromDate(date);
}

/**
 * A name that differs from file to file, without the characters that are not regular in names. pdf-lib keeps every `PDFName` as long
 * as the process lives.
 */
export class PassingName extends PDFObject {
  readonly #text: string;

  constructor(name: string) {
    super();
    this.#text = `/${name.replace(/[^A-Za-z0-9._+-]/g, "")}`;
  }

  override clone(): PDFObject {
    return this;
  }

  override toString(): string {
    return this.#text;
  }

  override sizeInBytes(): number {
    return this.#text.length;
  }

  override copyBytesInto(buffer: Uint8Array, offset: number): number {
    for (let i = 0; i < this.#text.length; i++) {
      buffer[offset + i] = this.#text.charCodeAt(i);
    }
    return this.#text.length;
  }
}
