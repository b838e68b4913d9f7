import type { ByteSource } from "../../lib/files/byte-source.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { DatasetError, shown } from "../dataset-error.ts";
import { type DateFormat, dateFormat } from "./date-format.ts";
import { readXml, type XmlHandler } from "./read-xml.ts";
import { readZipEntry } from "./read-zip-entry.ts";
import { broken } from "./broken-workbook.ts";
import { StringPool } from "./string-pool.ts";
import { partName, readZipDirectory, type ZipEntry } from "./zip-directory.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const SHEETS_MAX = LIMITS.workbook_sheets.value;
const STYLES_MAX = LIMITS.workbook_styles.value;
/**
 * Maximum size of all shared strings, which are held in memory: with the reader of the rows they
 * stay below 64 MB.
 */
const STRINGS_BYTES_MAX = LIMITS.workbook_strings.value;
const SHOWN_SHEETS_MAX = 20;

export interface Sheet {
  readonly name: string;
  readonly isVisible: boolean;
  readonly part: string;
}

/** A workbook with the data that its sheets refer to; `readSheet` reads a sheet. */
export interface Workbook {
  readonly sheets: readonly Sheet[];
  readonly is1904: boolean;
  /** The date parts shown by each cell style. */
  readonly styles: readonly DateFormat[];
  /** Bytes of a part, decompressed as they are read. */
  open(part: string): AsyncGenerator<Uint8Array>;
  sharedStrings(): Promise<readonly string[]>;
}

/** Opens an XLSX file over ranged reads. Throws DatasetError. */
export async function openWorkbook(source: ByteSource): Promise<Workbook> {
  const entries = await readZipDirectory(source);
  const open = (part: string): AsyncGenerator<Uint8Array> => {
    const entry = entries.get(partName(part));
    if (entry === undefined) {
      throw broken(`${shown(part)} is missing`);
    }
    return readZipEntry(source, entry);
  };
  const relations = await readRelations(entries, open, "_rels/.rels", "");
  const main = [...relations.values()].find(({ type }) => type.endsWith("/officeDocument"));
  const workbookPart = main?.target ?? "xl/workbook.xml";
  await refuseOtherKinds(entries, open, workbookPart);
  const { sheets, is1904 } = await readWorkbookPart(entries, open, workbookPart);
  const slash = workbookPart.lastIndexOf("/");
  const folder = workbookPart.slice(0, slash + 1);
  const links = await readRelations(
    entries,
    open,
    `${folder}_rels/${workbookPart.slice(slash + 1)}.rels`,
    folder,
  );
  const linked = (type: string) =>
    [...links.values()].find((link) => link.type.endsWith(`/${type}`))?.target;
  const stylesPart = linked("styles");
  const stringsPart = linked("sharedStrings");
  return {
    sheets: sheets.flatMap(({ name, isVisible, link }) => {
      const target = links.get(link);
      return target?.type.endsWith("/worksheet") === true
        ? [{ name, isVisible, part: target.target }]
        : [];
    }),
    is1904,
    styles: stylesPart === undefined ? [] : await readStyles(open(stylesPart)),
    open,
    sharedStrings: () =>
      stringsPart === undefined ? Promise.resolve([]) : readStrings(open(stringsPart)),
  };
}

/**
 * The worksheet of that name, or the only visible one if no name is given
 * (docs/contract/datasets.md#reading-rules). Throws DatasetError `ambiguous_table` or
 * `invalid_data`.
 */
export function chooseSheet(workbook: Workbook, table: string | null): Sheet {
  const { sheets } = workbook;
  const visible = sheets.filter(({ isVisible }) => isVisible);
  const names = visible.slice(0, SHOWN_SHEETS_MAX).map(({ name }) => JSON.stringify(name));
  if (table !== null) {
    const folded = foldCase(table);
    const named =
      sheets.find(({ name }) => name === table) ??
      sheets.find(({ name }) => foldCase(name) === folded);
    if (named === undefined) {
      throw new DatasetError(
        "invalid_data",
        `The workbook has no worksheet ${shown(table)}. Visible worksheets: ${names.join(", ") || "none"}.`,
      );
    }
    return named;
  }
  const [only] = visible;
  if (only === undefined) {
    throw new DatasetError(
      "invalid_data",
      sheets.length === 0
        ? "The workbook has no worksheet."
        : "Every worksheet of the workbook is hidden. Send the name of one as table.",
    );
  }
  if (visible.length > 1) {
    throw new DatasetError(
      "ambiguous_table",
      `The workbook has ${visible.length} visible worksheets: ${names.join(", ")}. Send one of them as table.`,
    );
  }
  return only;
}

type Open = (part: string) => AsyncGenerator<Uint8Array>;
type Entries = ReadonlyMap<string, ZipEntry>;

/**
 * Macro and binary workbooks with the extension of a plain one
 * (docs/contract/datasets.md#reading-rules).
 */
async function refuseOtherKinds(entries: Entries, open: Open, workbookPart: string): Promise<void> {
  const types = "[Content_Types].xml";
  if (!entries.has(partName(types))) {
    throw new DatasetError("unsupported_format", "The file is a ZIP archive, but not a workbook.");
  }
  const names = [...entries.keys()];
  const hasParts = (extension: string, all: readonly string[]) =>
    all.some((name) => name.endsWith(`.${extension.toLowerCase()}`));
  let isOther = names.some((name) => name.endsWith("vbaproject.bin"));
  await readXml(
    open(types),
    types,
    elements((name, attributes) => {
      const type = attributes.get("ContentType") ?? "";
      const extension = attributes.get("Extension") ?? "";
      // SheetJS declares the content type of a .bin workbook in every file; only a part with that
      // extension is one.
      isOther ||=
        name === "Default"
          ? (/vbaProject/i.test(type) && hasParts(extension, names)) ||
            (OTHER_KINDS.test(type) && hasParts(extension, [partName(workbookPart)]))
          : OTHER_KINDS.test(type);
    }),
  );
  if (isOther) {
    throw new DatasetError(
      "unsupported_format",
      "The file is a workbook with macros or in binary form. Save it as .xlsx without macros.",
    );
  }
}

const OTHER_KINDS = /macroEnabled|vbaProject|ms-excel\.sheet\.binary/i;

interface Relation {
  readonly type: string;
  readonly target: string;
}

async function readRelations(
  entries: Entries,
  open: Open,
  part: string,
  folder: string,
): Promise<ReadonlyMap<string, Relation>> {
  const relations = new Map<string, Relation>();
  if (!entries.has(partName(part))) {
    return relations;
  }
  await readXml(
    open(part),
    part,
    elements((name, attributes) => {
      // Parts outside of the file are never fetched.
      if (name === "Relationship" && attributes.get("TargetMode") !== "External") {
        relations.set(attributes.get("Id") ?? "", {
          type: attributes.get("Type") ?? "",
          target: resolve(folder, attributes.get("Target") ?? ""),
        });
      }
    }),
  );
  return relations;
}

function resolve(folder: string, target: string): string {
  const path = target.startsWith("/") ? target.slice(1) : folder + target;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") {
      parts.pop();
    } else if (part !== ".") {
      parts.push(part);
    }
  }
  return parts.join("/");
}

async function readWorkbookPart(entries: Entries, open: Open, part: string) {
  if (!entries.has(partName(part))) {
    throw new DatasetError("unsupported_format", "The file is a ZIP archive, but not a workbook.");
  }
  const sheets: { name: string; isVisible: boolean; link: string }[] = [];
  let is1904 = false;
  await readXml(
    open(part),
    part,
    elements((element, attributes) => {
      if (element === "workbookPr") {
        is1904 = /^(?:1|true)$/i.test(attributes.get("date1904") ?? "");
      }
      if (element === "sheet") {
        if (sheets.length === SHEETS_MAX) {
          throw broken(`it has more than ${SHEETS_MAX} worksheets`);
        }
        sheets.push({
          name: attributes.get("name") ?? "",
          isVisible: (attributes.get("state") ?? "visible") === "visible",
          link: attributes.getLocal("id") ?? "",
        });
      }
    }),
  );
  return { sheets, is1904 };
}

async function readStyles(bytes: AsyncGenerator<Uint8Array>): Promise<readonly DateFormat[]> {
  const codes = new Map<number, string>();
  const styles: DateFormat[] = [];
  let isInCellStyles = false;
  await readXml(bytes, "the styles part", {
    open(name, attributes) {
      if (name === "numFmt") {
        codes.set(Number(attributes.get("numFmtId")), attributes.get("formatCode") ?? "");
      } else if (name === "cellXfs") {
        isInCellStyles = true;
      } else if (name === "xf" && isInCellStyles) {
        const id = Number(attributes.get("numFmtId") ?? 0);
        styles.push(dateFormat(id, codes.get(id)));
      }
      if (styles.length + codes.size > STYLES_MAX) {
        throw broken(`it has more than ${STYLES_MAX} styles`);
      }
    },
    text: () => undefined,
    close(name) {
      isInCellStyles &&= name !== "cellXfs";
    },
  });
  return styles;
}

async function readStrings(bytes: AsyncGenerator<Uint8Array>): Promise<readonly string[]> {
  const pool = new StringPool();
  const parts = new RichText();
  await readXml(bytes, "the shared strings part", {
    open(name) {
      if (name === "si") {
        parts.begin();
      }
      parts.open(name);
    },
    text(text) {
      parts.add(text);
    },
    close(name) {
      parts.close(name);
      if (name === "si") {
        pool.add(parts.text);
        if (pool.bytes > STRINGS_BYTES_MAX) {
          throw broken(
            `its shared strings take more than ${STRINGS_BYTES_MAX} bytes; save the sheet as CSV`,
          );
        }
      }
    },
  });
  pool.close();
  return pool.strings;
}

/** The text of a string item or an inline string: its `t` elements, without phonetic guides. */
export class RichText {
  text = "";
  #isInText = false;
  #isPhonetic = false;

  begin(): void {
    this.text = "";
  }

  open(name: string): void {
    if (name === "rPh") {
      this.#isPhonetic = true;
    } else if (name === "t") {
      this.#isInText = !this.#isPhonetic;
    }
  }

  add(text: string): void {
    if (this.#isInText) {
      this.text += text;
    }
  }

  close(name: string): void {
    if (name === "t") {
      this.#isInText = false;
    } else if (name === "rPh") {
      this.#isPhonetic = false;
    }
  }
}

function elements(open: XmlHandler["open"]): XmlHandler {
  return { open, text: () => undefined, close: () => undefined };
}
