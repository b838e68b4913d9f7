import { makeZip, type ZipPart } from "./make-zip.ts";

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

export interface WorkbookParts {
  /** The content of `sheetData`, for one sheet named Data; or the whole part if it starts with `<?xml`. */
  readonly rows?: string;
  /** After `sheetData`. */
  readonly after?: string;
  readonly sharedStrings?: string;
  /** Inside of `styleSheet`. */
  readonly styles?: string;
  readonly is1904?: boolean;
  /** Attributes of each `<sheet>`; all show the same rows. */
  readonly sheets?: readonly string[];
  readonly contentType?: string;
  /** Additional parts, or replacements for those of the same name. */
  readonly extra?: readonly ZipPart[];
}

/** A workbook as files, assembled by hand so that each part can be invalid. */
export function workbookParts(given: WorkbookParts): ZipPart[] {
  const sheets = given.sheets ?? ['name="Data"'];
  const rows = given.rows ?? "";
  const type =
    given.contentType ??
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";
  const parts: ZipPart[] = [
    {
      name: "[Content_Types].xml",
      data: `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="${type}"/></Types>`,
    },
    {
      name: "_rels/.rels",
      data: `${HEAD}<Relationships><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    },
    {
      name: "xl/workbook.xml",
      data: `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr${given.is1904 === true ? ' date1904="1"' : ""}/><sheets>${sheets
        .map((attributes, i) => `<sheet ${attributes} sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
        .join("")}</sheets></workbook>`,
    },
    {
      name: "xl/_rels/workbook.xml.rels",
      data: `${HEAD}<Relationships>${sheets
        .map(
          (_sheet, i) =>
            `<Relationship Id="rId${i + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet.xml"/>`,
        )
        .join(
          "",
        )}<Relationship Id="s" Type="${RELATIONS}/styles" Target="styles.xml"/><Relationship Id="t" Type="${RELATIONS}/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>`,
    },
    {
      name: "xl/styles.xml",
      data: `${HEAD}<styleSheet xmlns="${MAIN}">${given.styles ?? '<cellXfs><xf numFmtId="0"/></cellXfs>'}</styleSheet>`,
    },
    {
      name: "xl/sharedStrings.xml",
      data: `${HEAD}<sst xmlns="${MAIN}">${given.sharedStrings ?? ""}</sst>`,
    },
    {
      name: "xl/worksheets/sheet.xml",
      data: rows.startsWith("<?xml")
        ? rows
        : `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData>${given.after ?? ""}</worksheet>`,
    },
  ];
  const extra = given.extra ?? [];
  const replaced = new Set(extra.map(({ name }) => name));
  return [...parts.filter(({ name }) => !replaced.has(name)), ...extra];
}

export function makeWorkbook(given: WorkbookParts): Uint8Array {
  return makeZip(workbookParts(given));
}
