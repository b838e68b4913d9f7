import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFRef,
  PDFString,
} from "pdf-lib";
import type { ObjectWriter, Ref } from "../object-writer.ts";
import { hexString } from "../pdf-syntax.ts";
import { pdfUnreadable } from "./merge-errors.ts";
import type { StreamBodies } from "./stream-bodies.ts";

/** Direct objects inside of each other. */
const DEPTH_MAX = 100;
const TYPE = PDFName.of("Type");
const PAGE = PDFName.of("Page");
const PAGES = PDFName.of("Pages");
const LENGTH = PDFName.of("Length");

/** Writes objects of one document to another, each once, with what they refer to. */
export class ObjectCopier {
  readonly #context: PDFContext;
  readonly #objects: ObjectWriter;
  readonly #name: string;
  readonly #isCut: boolean;
  readonly #bodies: StreamBodies | undefined;
  readonly #refs = new Map<PDFRef, Ref>();
  readonly #waiting: PDFRef[] = [];

  /**
   * `isCut` says whether the file ends early: a reference to an object that is not there is then refused. `bodies` are the bytes
   * of streams that are not in memory.
   */
  constructor(
    context: PDFContext,
    objects: ObjectWriter,
    name: string,
    { isCut = false, bodies }: { isCut?: boolean; bodies?: StreamBodies | undefined } = {},
  ) {
    this.#isCut = isCut;
    this.#bodies = bodies;
    this.#context = context;
    this.#objects = objects;
    this.#name = name;
  }

  /** An object as text; those that it refers to are written by `copyReferred`. */
  text(object: PDFObject, depth = 0): string {
    if (depth > DEPTH_MAX) {
      throw pdfUnreadable(this.#name, "has objects that are nested too deeply");
    }
    if (object instanceof PDFRef) {
      return this.#refText(object);
    }
    if (object instanceof PDFArray) {
      return `[${object
        .asArray()
        .map((one) => this.text(one, depth + 1))
        .join(" ")}]`;
    }
    if (object instanceof PDFDict) {
      return `<<${this.#entries(object, depth)}>>`;
    }
    if (object instanceof PDFNumber) {
      const value = object.asNumber();
      return Number.isFinite(value) ? object.toString() : "0";
    }
    if (object instanceof PDFString) {
      return hexString(object.asBytes());
    }
    if (object instanceof PDFHexString) {
      return hexString(object.asBytes());
    }
    if (object instanceof PDFName) {
      return object.toString();
    }
    if (object instanceof PDFRawStream) {
      throw pdfUnreadable(this.#name, "has a stream inside of another object");
    }
    return object.toString();
  }

  /** Throws what the source of `bodies` throws. */
  async *copyReferred(): AsyncGenerator<Uint8Array> {
    for (let ref = this.#waiting.pop(); ref !== undefined; ref = this.#waiting.pop()) {
      const target = this.#refs.get(ref);
      const object = this.#context.lookup(ref);
      if (object instanceof PDFRawStream && target !== undefined) {
        yield* this.#copyStream(object, target);
      } else {
        this.#objects.add(this.text(object ?? PDFNull), target);
      }
      yield* this.#objects.take();
    }
  }

  async *#copyStream(stream: PDFRawStream, target: Ref): AsyncGenerator<Uint8Array> {
    const entries = this.#entries(stream.dict, 0);
    const range = this.#bodies?.of(stream);
    if (this.#bodies === undefined || range === undefined) {
      this.#objects.addStream(entries, [stream.contents], target);
      return;
    }
    this.#objects.beginStream(entries, range.to - range.from, target);
    for await (const piece of this.#bodies.read(range)) {
      this.#objects.appendToStream(piece);
      yield* this.#objects.take();
    }
    this.#objects.endStream();
  }

  #entries(dict: PDFDict, depth: number): string {
    let text = "";
    for (const [key, value] of dict.entries()) {
      if (key !== LENGTH || !(dict.lookup(key) instanceof PDFNumber)) {
        text += `${key.toString()} ${this.text(value, depth + 1)}`;
      }
    }
    return text;
  }

  /** Pages are written by themselves: what refers back to one, or to the tree, refers to nothing. */
  #refText(ref: PDFRef): string {
    let target = this.#refs.get(ref);
    if (target === undefined) {
      const object = this.#context.lookup(ref);
      const type = object instanceof PDFDict ? object.lookup(TYPE) : undefined;
      if (object === undefined && this.#isCut) {
        throw pdfUnreadable(this.#name, "is cut short");
      }
      if (object === undefined || type === PAGE || type === PAGES) {
        return "null";
      }
      target = this.#objects.reserve();
      this.#refs.set(ref, target);
      this.#waiting.push(ref);
    }
    return `${target} 0 R`;
  }
}
