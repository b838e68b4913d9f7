import { createHash, hash, type Hash } from "node:crypto";

/** Characters of a text that is its own key: most values have fewer, and a digest takes as long as all else that a key needs. */
const PLAIN_CHARS_MAX = 64;

/** Characters that are hashed at once. */
const HASHED_CHARS = 64 * 1024;

/** The SHA-256 of a text that comes in parts, which are hashed together if they are short. */
export class DigestedText {
  #begun: Hash | undefined;
  #pending = "";

  add(part: string): void {
    this.#pending += part;
    if (this.#pending.length > HASHED_CHARS) {
      this.#begun = (this.#begun ?? createHash("sha256")).update(this.#pending);
      this.#pending = "";
    }
  }

  /** Returns the digest in base64url, once. */
  digest(): string {
    return this.#begun === undefined
      ? hash("sha256", this.#pending, "base64url")
      : this.#begun.update(this.#pending).digest("base64url");
  }

  /** Returns a key of the text, once: a short text itself behind a sign that no digest has, or else its digest. */
  key(): string {
    return this.#begun === undefined && this.#pending.length <= PLAIN_CHARS_MAX
      ? `=${this.#pending}`
      : this.digest();
  }
}
