import { createHash, type Hash } from "node:crypto";
import { canonicalJson } from "../lib/json/canonical-json.ts";

/** Headers of a form's part, as sent by the client: untrusted. */
export interface FormPart {
  readonly field: string | undefined;
  /** Undefined for a plain field. */
  readonly fileName: string | undefined;
}

/**
 * Computes the fingerprint of a form as it is read: for each field, in order, its name, its file
 * name and the SHA-256 of its bytes, independent of the boundary.
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

  /** In hexadecimal, after the form has been read to its end. */
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
