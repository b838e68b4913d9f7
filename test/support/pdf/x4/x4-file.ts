import { Buffer } from "node:buffer";
import { inflateSync } from "node:zlib";
import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFParser,
  PDFRawStream,
  PDFRef,
  PDFString,
} from "pdf-lib";

/** One operator of a content stream with its operands as text. */
export interface Operation {
  readonly operator: string;
  readonly operands: readonly string[];
}

/** A stream that paints, with the resources that it names. */
export interface PaintingStream {
  readonly name: string;
  readonly resources: PDFDict | undefined;
  /** Undefined if the data cannot be decompressed. */
  readonly operations: readonly Operation[] | undefined;
}

/** A file as the rules see it. What is found once is kept: make another after a change. */
export class X4File {
  readonly bytes: Uint8Array;
  readonly context: PDFContext;
  #dicts: readonly PDFDict[] | undefined;

  constructor(bytes: Uint8Array, context: PDFContext) {
    this.bytes = bytes;
    this.context = context;
  }

  static async read(bytes: Uint8Array): Promise<X4File> {
    const parser = PDFParser.forBytesWithOptions(bytes, Infinity, true);
    return new X4File(bytes, await parser.parseDocument());
  }

  get(owner: PDFObject | undefined, ...path: readonly string[]): PDFObject | undefined {
    let at = this.#resolved(owner);
    for (const key of path) {
      const dict = at instanceof PDFRawStream ? at.dict : at;
      if (!(dict instanceof PDFDict)) {
        return undefined;
      }
      at = this.#resolved(dict.get(PDFName.of(key)));
    }
    return at;
  }

  dict(owner: PDFObject | undefined, ...path: readonly string[]): PDFDict | undefined {
    const found = this.get(owner, ...path);
    return found instanceof PDFDict
      ? found
      : found instanceof PDFRawStream
        ? found.dict
        : undefined;
  }

  stream(owner: PDFObject | undefined, ...path: readonly string[]): PDFRawStream | undefined {
    const found = this.get(owner, ...path);
    return found instanceof PDFRawStream ? found : undefined;
  }

  list(owner: PDFObject | undefined, ...path: readonly string[]): PDFObject[] | undefined {
    const found = this.get(owner, ...path);
    return found instanceof PDFArray
      ? found.asArray().map((one) => this.#resolved(one) ?? one)
      : undefined;
  }

  name(owner: PDFObject | undefined, ...path: readonly string[]): string | undefined {
    const found = this.get(owner, ...path);
    return found instanceof PDFName ? found.decodeText() : undefined;
  }

  text(owner: PDFObject | undefined, ...path: readonly string[]): string | undefined {
    const found = this.get(owner, ...path);
    return found instanceof PDFString || found instanceof PDFHexString
      ? found.decodeText()
      : undefined;
  }

  number(owner: PDFObject | undefined, ...path: readonly string[]): number | undefined {
    const found = this.get(owner, ...path);
    return found instanceof PDFNumber ? found.asNumber() : undefined;
  }

  numbers(owner: PDFObject | undefined, ...path: readonly string[]): number[] | undefined {
    const found = this.list(owner, ...path);
    return found?.every((one) => one instanceof PDFNumber) === true
      ? found.map((one) => (one as PDFNumber).asNumber())
      : undefined;
  }

  /** Undefined if the data cannot be decompressed. */
  data(stream: PDFRawStream): Uint8Array | undefined {
    const filter = this.name(stream, "Filter");
    try {
      return filter === undefined ? stream.contents : inflateSync(stream.contents);
    } catch {
      return undefined;
    }
  }

  get trailer() {
    return this.context.trailerInfo;
  }

  get catalog(): PDFDict | undefined {
    return this.dict(this.trailer.Root);
  }

  get info(): PDFDict | undefined {
    return this.dict(this.trailer.Info);
  }

  get xmp(): string {
    const stream = this.stream(this.catalog, "Metadata");
    return stream === undefined ? "" : new TextDecoder().decode(this.data(stream));
  }

  /** The content of an XMP element, its inner list unwrapped. */
  xmpValue(element: string): string | undefined {
    const found = new RegExp(`<${element}>(.*?)</${element}>`, "s").exec(this.xmp)?.[1];
    return found
      ?.replaceAll(/<[^>]*>/g, "")
      .replaceAll("&amp;", "&")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">");
  }

  get intent(): PDFDict | undefined {
    return this.dict(this.list(this.catalog, "OutputIntents")?.[0]);
  }

  get profile(): Uint8Array | undefined {
    const stream = this.stream(this.intent, "DestOutputProfile");
    return stream === undefined ? undefined : this.data(stream);
  }

  /** The device color space of the output intent. */
  get deviceSpace(): string {
    const n = this.number(this.intent, "DestOutputProfile", "N");
    return n === 4 ? "DeviceCMYK" : n === 3 ? "DeviceRGB" : "DeviceGray";
  }

  get pages(): PDFDict[] {
    return (this.list(this.catalog, "Pages", "Kids") ?? []).filter(
      (page) => page instanceof PDFDict,
    );
  }

  /** All indirect objects. */
  get objects(): readonly (readonly [string, PDFObject])[] {
    return this.context.enumerateIndirectObjects().map(([ref, object]) => [ref.toString(), object]);
  }

  /** Dictionaries of all objects, direct ones inside of others too. */
  get dicts(): readonly PDFDict[] {
    return (this.#dicts ??= this.#findDicts());
  }

  #findDicts(): readonly PDFDict[] {
    const found: PDFDict[] = [];
    const visit = (object: PDFObject): void => {
      if (object instanceof PDFRawStream) {
        visit(object.dict);
      } else if (object instanceof PDFDict) {
        found.push(object);
        object.values().forEach(visit);
      } else if (object instanceof PDFArray) {
        object.asArray().forEach(visit);
      }
    };
    for (const [, object] of this.objects) {
      visit(object);
    }
    return found;
  }

  typed(key: string, value: string): PDFDict[] {
    return this.dicts.filter((dict) => this.name(dict, key) === value);
  }

  get forms(): PDFRawStream[] {
    return this.objects
      .map(([, object]) => object)
      .filter((object) => object instanceof PDFRawStream)
      .filter((stream) => this.name(stream, "Subtype") === "Form");
  }

  get images(): PDFRawStream[] {
    return this.objects
      .map(([, object]) => object)
      .filter((object) => object instanceof PDFRawStream)
      .filter((stream) => this.name(stream, "Subtype") === "Image");
  }

  get painting(): PaintingStream[] {
    const pages = this.pages.map((page, i) => ({
      name: `page ${i + 1}`,
      resources: this.dict(page, "Resources"),
      stream: this.stream(page, "Contents"),
    }));
    const forms = this.forms.map((stream) => ({
      name: "form",
      resources: this.dict(stream, "Resources"),
      stream,
    }));
    return [...pages, ...forms].map(({ name, resources, stream }) => {
      const data = stream === undefined ? undefined : this.data(stream);
      return { name, resources, operations: data === undefined ? undefined : operationsOf(data) };
    });
  }

  refs(): PDFRef[] {
    const found: PDFRef[] = [];
    const visit = (object: PDFObject): void => {
      if (object instanceof PDFRef) {
        found.push(object);
      } else if (object instanceof PDFRawStream) {
        visit(object.dict);
      } else if (object instanceof PDFDict) {
        object.values().forEach(visit);
      } else if (object instanceof PDFArray) {
        object.asArray().forEach(visit);
      }
    };
    for (const [, object] of this.objects) {
      visit(object);
    }
    return found;
  }

  #resolved(object: PDFObject | undefined): PDFObject | undefined {
    return object instanceof PDFRef ? this.context.lookup(object) : object;
  }
}

const TOKEN = /\((?:\\.|[^\\)])*\)|<<|>>|<[0-9A-Fa-f\s]*>|\[|\]|\/[^\s[\]<>()/]*|[^\s[\]<>()/]+/g;

/** Our streams have no inline image and no nested parentheses, so that tokens suffice. */
function operationsOf(data: Uint8Array): Operation[] {
  const operations: Operation[] = [];
  let operands: string[] = [];
  for (const [token] of Buffer.from(data).toString("latin1").matchAll(TOKEN)) {
    if (/^[A-Za-z'"][A-Za-z0-9*]*$/.test(token)) {
      operations.push({ operator: token, operands });
      operands = [];
    } else {
      operands.push(token);
    }
  }
  return operations;
}
