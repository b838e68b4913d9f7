import { DatasetError, shown } from "../dataset-error.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/**
 * Maximum length of one row in UTF-16 units, so that an unclosed quote cannot load the whole file
 * into memory.
 */
const ROW_CHARS_MAX = LIMITS.csv_row.value;

/** Maximum number of fields in one row; the same as a worksheet's columns. */
export const FIELDS_MAX = LIMITS.columns.value;

const QUOTE = 34;
const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;

/**
 * Number of characters of a quoted field that are read one by one before its end is searched for.
 */
const QUOTED_NEAR = 24;

/** How a field of the current row is quoted. */
const PLAIN = 0;
const QUOTED = 1;
/** Quoted, with doubled quotes inside. */
const ESCAPED = 2;

/** Codes for non-ASCII characters, whose exact code does not matter: the delimiter, and all others. */
const WIDE_DELIMITER = 0xfe;
const WIDE = 0xff;

const ENCODER = new TextEncoder();

/** State of the reader between two characters. */
const AT_FIELD = 0;
const IN_PLAIN = 1;
const IN_QUOTES = 2;
/** Just after a quote in a quoted field: the end of the field, or the first of two quotes. */
const AFTER_QUOTE = 3;
/** Spaces after a closed quote. */
const AFTER_FIELD = 4;

/**
 * The row that was just read. One object is reused for every row, so copy the parts to be kept.
 * Fields are offsets in the text, so a reader that only inspects them creates no strings.
 */
export interface CsvRow {
  /** Physical row of the file, from 1; blank rows count. */
  readonly number: number;
  readonly fieldCount: number;
  field(index: number): string;
  /** Offsets of the fields in `text`, for readers that need no strings. */
  readonly text: string;
  /**
   * The character codes of `text`, with any value from 0x80 for non-ASCII characters: an array is
   * faster to read.
   */
  readonly codes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Whether the field has doubled quotes, so that its text differs from its source. */
  isEscaped(index: number): boolean;
}

/**
 * Reads CSV text piece by piece. RFC 4180 with LF, CRLF or CR between rows; spaces may follow a
 * closing quote. Throws DatasetError `invalid_data` with the row number.
 */
export class CsvTokenizer implements CsvRow {
  readonly #delimiter: number;
  readonly #onRow: (row: CsvRow) => void;
  #text = "";
  #codes = new Uint8Array(0);
  #position = 0;
  #rowStart = 0;
  #fieldStart = 0;
  #fieldEnd = 0;
  #state = AT_FIELD;
  #kind = PLAIN;
  #starts = new Int32Array(64);
  #ends = new Int32Array(64);
  #kinds = new Uint8Array(64);
  #count = 0;
  #number = 1;
  /** A CR ended a row at the end of a piece; a following LF belongs to it. */
  #skipsLf = false;
  #isStopped = false;

  constructor(delimiter: string, onRow: (row: CsvRow) => void) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#onRow = onRow;
  }

  get number(): number {
    return this.#number;
  }

  get fieldCount(): number {
    return this.#count;
  }

  get text(): string {
    return this.#text;
  }

  get codes(): Uint8Array {
    return this.#codes;
  }

  get starts(): Int32Array {
    return this.#starts;
  }

  get ends(): Int32Array {
    return this.#ends;
  }

  isEscaped(index: number): boolean {
    return this.#kinds[index] === ESCAPED;
  }

  field(index: number): string {
    const raw = this.#text.slice(this.#starts[index], this.#ends[index]);
    return this.#kinds[index] === ESCAPED ? raw.replaceAll('""', '"') : raw;
  }

  /** Stops after the current row, whatever text is left. */
  stop(): void {
    this.#isStopped = true;
  }

  write(piece: string): void {
    if (this.#isStopped || piece === "") {
      return;
    }
    this.#shift(piece);
    this.#scan();
    if (this.#text.length - this.#rowStart > ROW_CHARS_MAX) {
      throw this.#fail(
        this.#state === IN_QUOTES
          ? `is longer than ${ROW_CHARS_MAX} characters; a quote in it may never be closed`
          : `is longer than ${ROW_CHARS_MAX} characters`,
      );
    }
  }

  /** Ends the text. */
  finish(): void {
    if (this.#isStopped) {
      return;
    }
    if (this.#state === IN_QUOTES) {
      throw this.#fail("opens a quote that is never closed");
    }
    if (this.#state === AT_FIELD && this.#count === 0) {
      return;
    }
    if (this.#state === AT_FIELD || this.#state === IN_PLAIN) {
      this.#fieldEnd = this.#text.length;
    }
    if (this.#count === this.#starts.length) {
      this.#grow();
    }
    this.#starts[this.#count] = this.#fieldStart;
    this.#ends[this.#count] = this.#fieldEnd;
    this.#kinds[this.#count] = this.#kind;
    this.#count++;
    this.#onRow(this);
  }

  /** Drops the rows already read, and adjusts the offsets of the unfinished one. */
  #shift(piece: string): void {
    const by = this.#rowStart;
    this.#text = by === this.#text.length ? piece : this.#text.slice(by) + piece;
    this.#position -= by;
    this.#fieldStart -= by;
    this.#fieldEnd -= by;
    this.#rowStart = 0;
    for (let i = 0; i < this.#count; i++) {
      this.#starts[i] = (this.#starts[i] ?? 0) - by;
      this.#ends[i] = (this.#ends[i] ?? 0) - by;
    }
    this.#readCodes();
    if (this.#skipsLf) {
      this.#skipsLf = false;
      if (this.#text.charCodeAt(this.#position) === LF) {
        this.#position++;
        this.#rowStart++;
      }
    }
  }

  #readCodes(): void {
    const text = this.#text;
    const { length } = text;
    if (this.#codes.length < length) {
      this.#codes = new Uint8Array(length);
    }
    const codes = this.#codes;
    // A non-ASCII character has more bytes than units, so equal counts mean that there is none.
    const { read, written } = ENCODER.encodeInto(text, codes);
    if (read === length && written === length) {
      return;
    }
    const delimiter = this.#delimiter;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      codes[at] = code < 0x80 ? code : code === delimiter ? WIDE_DELIMITER : WIDE;
    }
  }

  // oxlint-disable-next-line complexity -- every character of a file passes through this loop; calls and fields in it double its time
  #scan(): void {
    const text = this.#text;
    const { length } = text;
    const codes = this.#codes;
    const delimiter = this.#delimiter < 0x80 ? this.#delimiter : WIDE_DELIMITER;
    // No character above it ends a field, and most characters are above it.
    const top = Math.max(delimiter, CR);
    let starts = this.#starts;
    let ends = this.#ends;
    let kinds = this.#kinds;
    let count = this.#count;
    let state = this.#state;
    let at = this.#position;
    let start = this.#fieldStart;
    let end = this.#fieldEnd;
    let kind = this.#kind;
    while (at < length) {
      let code = codes[at] ?? 0;
      if (state === AT_FIELD) {
        kind = PLAIN;
        start = at;
        state = IN_PLAIN;
        if (code === QUOTE) {
          kind = QUOTED;
          at++;
          start = at;
          state = IN_QUOTES;
        }
      }
      if (state === IN_PLAIN) {
        while (code > top || (code !== delimiter && code !== LF && code !== CR)) {
          at++;
          if (at === length) {
            break;
          }
          code = codes[at] ?? 0;
        }
        if (at === length) {
          break;
        }
        end = at;
      } else if (state === IN_QUOTES) {
        // Most quoted fields are short: a search is faster only after their first characters.
        const near = Math.min(at + QUOTED_NEAR, length);
        while (at < near && codes[at] !== QUOTE) {
          at++;
        }
        if (at === near) {
          at = text.indexOf('"', near);
          if (at < 0) {
            at = length;
            break;
          }
        }
        end = at;
        at++;
        state = AFTER_QUOTE;
        continue;
      } else if (code === QUOTE && state === AFTER_QUOTE) {
        kind = ESCAPED;
        at++;
        state = IN_QUOTES;
        continue;
      }
      if (code !== delimiter && code !== LF && code !== CR) {
        if (code !== SPACE && code !== TAB) {
          throw this.#fail(
            `has ${shown(text.slice(at, at + 20))} after a closing quote; write a quote inside of quotes twice`,
          );
        }
        at++;
        state = AFTER_FIELD;
        continue;
      }
      if (count === starts.length) {
        this.#grow();
        starts = this.#starts;
        ends = this.#ends;
        kinds = this.#kinds;
      }
      starts[count] = start;
      ends[count] = end;
      kinds[count] = kind;
      count++;
      at++;
      state = AT_FIELD;
      if (code === delimiter) {
        // The row continues, so a field follows even if the text ends here.
        start = at;
        kind = PLAIN;
        continue;
      }
      this.#count = count;
      count = 0;
      this.#onRow(this);
      this.#number++;
      if (code === CR) {
        if (at === length) {
          this.#skipsLf = true;
        } else if (codes[at] === LF) {
          at++;
        }
      }
      this.#rowStart = at;
      if (this.#isStopped) {
        return;
      }
    }
    this.#position = at;
    this.#state = state;
    this.#count = count;
    this.#fieldStart = start;
    this.#fieldEnd = end;
    this.#kind = kind;
  }

  #grow(): void {
    const room = this.#starts.length * 2;
    if (room > FIELDS_MAX) {
      throw this.#fail(`has more than ${FIELDS_MAX} values`);
    }
    const starts = new Int32Array(room);
    const ends = new Int32Array(room);
    const kinds = new Uint8Array(room);
    starts.set(this.#starts);
    ends.set(this.#ends);
    kinds.set(this.#kinds);
    [this.#starts, this.#ends, this.#kinds] = [starts, ends, kinds];
  }

  #fail(what: string): DatasetError {
    return new DatasetError("invalid_data", `Row ${this.#number} ${what}.`);
  }
}
