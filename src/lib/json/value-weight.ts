import { ExactNumber } from "./exact-json.ts";
import { FileRef } from "../files/file-ref.ts";
import { CONTAINER_BYTES, ITEM_BYTES, MEMBER_BYTES, STRING_BYTES } from "./json-memory.ts";

/** Memory of a reference to a file, without the content that it may carry. */
const FILE_BYTES = 512;
/** A number or a literal has at least one character. */
const LEAST_CHARS = 1;

/** Adds up values: the least length of their JSON text, and what `jsonMemory` estimates of it at least. */
export class ValueWeight {
  chars = 0;
  bytes = 0;

  add(value: unknown): void {
    if (typeof value === "string") {
      this.#addString(value);
    } else if (typeof value !== "object" || value === null) {
      this.#add(LEAST_CHARS, 0);
    } else if (value instanceof ExactNumber) {
      this.#add(value.token.length, 0);
    } else if (value instanceof FileRef) {
      this.bytes += FILE_BYTES + (value.content === undefined ? 0 : 2 * value.sizeBytes);
    } else if (Array.isArray(value)) {
      const commas = Math.max(0, value.length - 1);
      this.#add(2 + commas, CONTAINER_BYTES + commas * ITEM_BYTES);
      for (const item of value) {
        this.add(item);
      }
    } else {
      this.#add(2, CONTAINER_BYTES);
      let members = 0;
      for (const [key, member] of Object.entries(value)) {
        this.#addString(key);
        this.#add(members === 0 ? 1 : 2, MEMBER_BYTES + (members === 0 ? 0 : ITEM_BYTES));
        this.add(member);
        members++;
      }
    }
  }

  #addString(text: string): void {
    // Without quotes, because the text may become part of a longer one.
    this.#add(text.length, STRING_BYTES);
  }

  #add(chars: number, bytes: number): void {
    this.chars += chars;
    this.bytes += chars + bytes;
  }
}
