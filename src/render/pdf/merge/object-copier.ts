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
import { arrayOf, bytesOf, mapOf, refOf } from "../pdf-objects.ts";
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

  /** An object with the numbers of the written file; those that it refers to are written by `copyReferred`. */
  copy(object: PDFObject, depth = 0): PDFObject {
    if (depth > DEPTH_MAX) {
      throw pdfUnreadable(this.#name, "has objects that are nested too deeply");
    }
    if (object instanceof PDFRef) {
      return this.#copyRef(object);
    }
    if (object instanceof PDFArray) {
      return arrayOf(object.asArray().map((one) => this.copy(one, depth + 1)));
    }
    if (object instanceof PDFDict) {
      return this.#copyDict(object, depth);
    }
    if (object instanceof PDFNumber) {
      return Number.isFinite(object.asNumber()) ? object : PDFNumber.of(0);
    }
    // What a file has between parentheses is not always balanced.
    if (object instanceof PDFString || object instanceof PDFHexString) {
      return bytesOf(object.asBytes());
    }
    if (object instanceof PDFRawStream) {
      throw pdfUnreadable(this.#name, "has a stream inside of another object");
    }
    return object;
  }

  /** Throws what the source of `bodies` throws. */
  async *copyReferred(): AsyncGenerator<Uint8Array> {
    for (let ref = this.#waiting.pop(); ref !== undefined; ref = this.#waiting.pop()) {
      const target = this.#refs.get(ref);
      const object = this.#context.lookup(ref);
      if (object instanceof PDFRawStream && target !== undefined) {
        yield* this.#copyStream(object, target);
      } else {
        this.#objects.add(this.copy(object ?? PDFNull), target);
      }
      yield* this.#objects.take();
    }
  }

  async *#copyStream(stream: PDFRawStream, target: Ref): AsyncGenerator<Uint8Array> {
    const entries = this.#copyDict(stream.dict, 0);
    const body = await this.#bodies?.open(stream);
    if (body === undefined) {
      this.#objects.addStream(entries, [stream.contents], target);
      return;
    }
    this.#objects.beginStream(entries, body.sizeBytes, target);
    for await (const piece of body.pieces) {
      this.#objects.appendToStream(piece);
      yield* this.#objects.take();
    }
    this.#objects.endStream();
  }

  /** Without the length of a stream, which is written with its bytes. */
  #copyDict(dict: PDFDict, depth: number): PDFDict {
    const entries = dict
      .entries()
      .filter(([key]) => key !== LENGTH || !(dict.lookup(key) instanceof PDFNumber));
    return mapOf(entries.map(([key, value]) => [key, this.copy(value, depth + 1)]));
  }

  /** Pages are written by themselves: what refers back to one, or to the tree, refers to nothing. */
  #copyRef(ref: PDFRef): PDFObject {
    let target = this.#refs.get(ref);
    if (target === undefined) {
      const object = this.#context.lookup(ref);
      const type = object instanceof PDFDict ? object.lookup(TYPE) : undefined;
      if (object === undefined && this.#isCut) {
        throw pdfUnreadable(this.#name, "is cut short");
      }
      if (object === undefined || type === PAGE || type === PAGES) {
        return PDFNull;
      }
      target = this.#objects.reserve();
      this.#refs.set(ref, target);
      this.#waiting.push(ref);
    }
    return refOf(target);
  }
}
