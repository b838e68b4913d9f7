import { createHash, type Hash } from "node:crypto";
import { canonicalJson } from "../lib/canonical-json.ts";

/** What a part of a form says of itself; nothing of it is to be trusted. */
export interface FormPart {
  readonly field: string | undefined;
  /** Undefined for a plain field. */
  readonly fileName: string | undefined;
}

/**
 * Names the content of a form as it is read: each field's name, file name and the SHA-256 of its
 * bytes, in their order, whatever boundary stands between them.
 */
export class FormDigest {
  readonly #parts: [string | null, string | null, string][] = [];
  #current: { readonly part: FormPart; readonly hash: Hash } | undefined;

  begin(part: FormPart): void {
    this.#end();
    this.#current = { part, hash: createHash("sha256") };
  }

  update(bytes: Uint8Array): void {
    this.#current?.hash.update(bytes);
  }

  /** Hex, once the form has been read to its end. */
  fingerprint(): string {
    this.#end();
    return createHash("sha256").update(canonicalJson(this.#parts)).digest("hex");
  }

  #end(): void {
    if (this.#current !== undefined) {
      const { part, hash } = this.#current;
      this.#parts.push([part.field ?? null, part.fileName ?? null, hash.digest("hex")]);
      this.#current = undefined;
    }
  }
}
