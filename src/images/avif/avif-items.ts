import {
  ascii,
  associated,
  type Box,
  boxBudget,
  boxes,
  type BoxBudget,
  countAssociations,
  countBoxes,
  find,
  isAlphaBox,
  mainItem,
} from "../header/avif-boxes.ts";
import { unreadableImage } from "../image-errors.ts";

/** A coded frame and its place in its layer, in pixels. */
export interface AvifCell {
  /** Parts of its data, in order. */
  readonly pieces: readonly Uint8Array[];
  /** For a frame in several qualities, the one that is shown. */
  readonly operatingPoint: number;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
}

/** The colors or the transparency of a picture. */
export interface AvifLayer {
  readonly width: number;
  readonly height: number;
  /** Whether it consists of cells; otherwise it has one, of its own size. */
  readonly isGrid: boolean;
  readonly cells: readonly AvifCell[];
}

/** How samples are colors, by the numbers of ITU-T H.273. */
export interface StatedColors {
  readonly primaries: number;
  readonly matrix: number;
  readonly isFullRange: boolean;
}

export interface AvifItems {
  readonly color: AvifLayer;
  readonly alpha: AvifLayer | undefined;
  /** The colors are multiplied with the transparency. */
  readonly isPremultiplied: boolean;
  /** What the file states beside its frames. */
  readonly stated: StatedColors | undefined;
}

interface Reference {
  readonly type: string;
  readonly from: number;
  readonly to: readonly number[];
}

/** The tables of a file that say where its items are and what they have. */
interface Tables {
  readonly view: DataView;
  readonly types: ReadonlyMap<number, string>;
  readonly data: ReadonlyMap<number, readonly Uint8Array[]>;
  readonly references: readonly Reference[];
  /** The properties of an item. */
  readonly propertiesOf: (item: number) => readonly Box[];
}

const damaged = (what: string) =>
  unreadableImage(`is an AVIF whose ${what}. Save it as AVIF again.`);

/**
 * The coded frames of an AVIF whose header has been read (`readAvifHeader`): those of its main item, alone or in cells, and
 * those of its transparency. Throws NodeError `IMAGE_UNREADABLE`.
 */
export function readAvifItems(bytes: Uint8Array): AvifItems {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const budget = boxBudget();
  const meta = find(boxes(view, 0, bytes.length, budget), "meta");
  // meta and most of its boxes begin with a version and flags.
  const children = meta === undefined ? [] : boxes(view, meta.start + 4, meta.end, budget);
  const pitm = find(children, "pitm");
  if (pitm === undefined) {
    throw damaged("main item is not stated");
  }
  const tables = readTables(view, children, budget);
  const main = mainItem(view, pitm);
  const alpha = tables.references.find(
    ({ type, from, to }) => type === "auxl" && to.includes(main) && isAlpha(tables, from),
  )?.from;
  return {
    color: layerOf(tables, main),
    alpha: alpha === undefined ? undefined : layerOf(tables, alpha),
    isPremultiplied: tables.references.some(({ type, from }) => type === "prem" && from === main),
    stated: statedColors(tables, main),
  };
}

function readTables(view: DataView, children: readonly Box[], budget: BoxBudget): Tables {
  const within = (type: string, skip: number): readonly Box[] => {
    const box = find(children, type);
    return box === undefined ? [] : boxes(view, box.start + skip, box.end, budget);
  };
  const iprp = within("iprp", 0);
  const ipco = find(iprp, "ipco");
  const ipma = find(iprp, "ipma");
  countAssociations(view, ipma, budget);
  const properties = ipco === undefined ? [] : boxes(view, ipco.start, ipco.end, budget);
  const iinf = find(children, "iinf");
  // The number of its entries has 2 bytes, or 4 from version 1 on.
  const isWide = iinf !== undefined && iinf.end > iinf.start && view.getUint8(iinf.start) > 0;
  const types = new Map(
    within("iinf", isWide ? 8 : 6)
      .map((box) => readItemType(view, box))
      .filter((entry) => entry !== undefined),
  );
  const iref = find(children, "iref");
  const hasWideIds = iref !== undefined && iref.end > iref.start && view.getUint8(iref.start) > 0;
  return {
    view,
    types,
    data: readLocations(view, children, budget),
    references: within("iref", 4).map((box) => readReference(view, box, hasWideIds, budget)),
    propertiesOf: (item) =>
      ipma === undefined
        ? []
        : associated(view, ipma, item).flatMap((index) => properties[index - 1] ?? []),
  };
}

function readItemType(view: DataView, { type, start, end }: Box): [number, string] | undefined {
  const version = end > start ? view.getUint8(start) : 0;
  const idBytes = version === 2 ? 2 : 4;
  const at = start + 4 + idBytes + 2;
  if (type !== "infe" || version < 2 || at + 4 > end) {
    return undefined;
  }
  const id = idBytes === 2 ? view.getUint16(start + 4) : view.getUint32(start + 4);
  return [id, ascii(view, at)];
}

function readReference(
  view: DataView,
  { type, start, end }: Box,
  hasWideIds: boolean,
  budget: BoxBudget,
): Reference {
  const numbers = new Numbers(view, start, end);
  const idBytes = hasWideIds ? 4 : 2;
  const from = numbers.next(idBytes);
  const count = numbers.next(2);
  countBoxes(budget, count);
  return { type, from, to: Array.from({ length: count }, () => numbers.next(idBytes)) };
}

/** The data of each item: parts of the file, or of its `idat` box. */
function readLocations(
  view: DataView,
  children: readonly Box[],
  budget: BoxBudget,
): Map<number, Uint8Array[]> {
  const found = new Map<number, Uint8Array[]>();
  const iloc = find(children, "iloc");
  if (iloc === undefined) {
    return found;
  }
  const numbers = new Numbers(view, iloc.start, iloc.end);
  const version = numbers.next(4) >>> 24;
  const sizes = numbers.next(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  const count = numbers.next(version < 2 ? 2 : 4);
  countBoxes(budget, count);
  const idat = find(children, "idat");
  const whole = { start: 0, end: view.byteLength };
  for (let i = 0; i < count; i++) {
    const id = numbers.next(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : numbers.next(2) & 15;
    // Data of other files are refused where they are asked for.
    const isElsewhere = numbers.next(2) !== 0 || method > 1;
    const base = numbers.next(baseBytes);
    const extents = numbers.next(2);
    countBoxes(budget, extents);
    const source = method === 1 ? idat : whole;
    const pieces: Uint8Array[] = [];
    let isWhole = !isElsewhere;
    for (let k = 0; k < extents; k++) {
      numbers.next(indexBytes);
      const offset = base + numbers.next(offsetBytes);
      const length = numbers.next(lengthBytes);
      const start = (source?.start ?? 0) + offset;
      // Without a length, up to the end.
      const end = length === 0 ? (source?.end ?? 0) : start + length;
      if (source === undefined || start > end || end > source.end) {
        isWhole = false;
      } else {
        pieces.push(new Uint8Array(view.buffer, view.byteOffset + start, end - start));
      }
    }
    checkPieces(pieces, view.byteLength);
    if (isWhole && pieces.length > 0) {
      found.set(id, pieces);
    }
  }
  return found;
}

/** Parts of an item that overlap could have more bytes than any memory. */
function checkPieces(pieces: readonly Uint8Array[], fileBytes: number): void {
  if (pieces.reduce((sum, { length }) => sum + length, 0) > fileBytes) {
    throw damaged("data overlap");
  }
}

function isAlpha({ view, propertiesOf }: Tables, item: number): boolean {
  return propertiesOf(item).some((box) => isAlphaBox(view, box));
}

function statedColors({ view, propertiesOf }: Tables, item: number): StatedColors | undefined {
  const box = propertiesOf(item).find(
    ({ type, start, end }) => type === "colr" && end - start >= 11 && ascii(view, start) === "nclx",
  );
  return (
    box && {
      primaries: view.getUint16(box.start + 4),
      matrix: view.getUint16(box.start + 8),
      isFullRange: view.getUint8(box.start + 10) >> 7 === 1,
    }
  );
}

function sizeOf({ view, propertiesOf }: Tables, item: number): { width: number; height: number } {
  const box = propertiesOf(item).find(
    ({ type, start, end }) => type === "ispe" && end - start >= 12,
  );
  if (box === undefined) {
    throw damaged("items have no size");
  }
  return { width: view.getUint32(box.start + 4), height: view.getUint32(box.start + 8) };
}

function dataOf({ data }: Tables, item: number): readonly Uint8Array[] {
  const pieces = data.get(item);
  if (pieces === undefined) {
    throw damaged("data are not where it states");
  }
  return pieces;
}

function cellOf(tables: Tables, item: number, left: number, top: number): AvifCell {
  if (tables.types.get(item) !== "av01") {
    throw damaged("picture is not coded as AV1");
  }
  const point = tables
    .propertiesOf(item)
    .find(({ type, start, end }) => type === "a1op" && end > start);
  return {
    pieces: dataOf(tables, item),
    // The format has 32.
    operatingPoint: point === undefined ? 0 : tables.view.getUint8(point.start) & 31,
    ...sizeOf(tables, item),
    left,
    top,
  };
}

function layerOf(tables: Tables, item: number): AvifLayer {
  if (tables.types.get(item) !== "grid") {
    const cell = cellOf(tables, item, 0, 0);
    return { width: cell.width, height: cell.height, isGrid: false, cells: [cell] };
  }
  const grid = readGrid(dataOf(tables, item));
  const items = tables.references.find(({ type, from }) => type === "dimg" && from === item)?.to;
  const first = items?.[0];
  if (items === undefined || first === undefined || items.length !== grid.columns * grid.rows) {
    throw damaged("cells are not all there");
  }
  const cell = sizeOf(tables, first);
  const isCovered = (side: number, count: number, whole: number) =>
    side * count >= whole && side * (count - 1) < whole;
  if (
    !isCovered(cell.width, grid.columns, grid.width) ||
    !isCovered(cell.height, grid.rows, grid.height)
  ) {
    throw damaged("cells do not cover it");
  }
  const cells = items.map((id, i) => {
    const column = i % grid.columns;
    return cellOf(tables, id, column * cell.width, ((i - column) / grid.columns) * cell.height);
  });
  // A larger one would be decoded whole for the little of it that is shown; a smaller one leaves samples unwritten.
  if (cells.some(({ width, height }) => width !== cell.width || height !== cell.height)) {
    throw damaged("cells have unequal sizes");
  }
  return { width: grid.width, height: grid.height, isGrid: true, cells };
}

function readGrid(pieces: readonly Uint8Array[]) {
  const [first = new Uint8Array(0)] = pieces;
  const view = new DataView(first.buffer, first.byteOffset, first.byteLength);
  const numbers = new Numbers(view, 0, first.length);
  const sideBytes = (numbers.next(2) & 1) === 1 ? 4 : 2;
  const rows = numbers.next(1) + 1;
  const columns = numbers.next(1) + 1;
  const width = numbers.next(sideBytes);
  return { rows, columns, width, height: numbers.next(sideBytes) };
}

/** Numbers that follow each other. */
class Numbers {
  readonly #view: DataView;
  readonly #end: number;
  #at: number;

  constructor(view: DataView, start: number, end: number) {
    this.#view = view;
    this.#at = start;
    this.#end = end;
  }

  /** The next number, of so many bytes; 0 if there are none. Throws NodeError `IMAGE_UNREADABLE` at the end. */
  next(bytes: number): number {
    if (this.#at + bytes > this.#end) {
      throw damaged("tables end early");
    }
    let number = 0;
    for (let i = 0; i < bytes; i++) {
      number = number * 256 + this.#view.getUint8(this.#at + i);
    }
    this.#at += bytes;
    return number;
  }
}
