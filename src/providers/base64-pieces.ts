import { badOutput } from "./call-failure.ts";

const LETTERS_PER_GROUP = 4;

/**
 * Decodes base64 that arrives in pieces as the content of a JSON string, in which `/` and `+` may be escaped and line breaks
 * occur. Throws NodeError `PROVIDER_BAD_OUTPUT` for anything else.
 */
export class Base64Pieces {
  /** Letters that do not fill a group yet, or the beginning of an escape. */
  #rest = "";
  #isPadded = false;

  add(letters: string): Uint8Array {
    const given = this.#rest + letters;
    const plain = given.includes("\\") ? this.#unescaped(given) : { text: given, rest: "" };
    const whole = plain.text.length - (plain.text.length % LETTERS_PER_GROUP);
    this.#rest = plain.text.slice(whole) + plain.rest;
    return this.#decoded(plain.text.slice(0, whole));
  }

  /** The bytes of the last group, which may lack its padding. */
  end(): Uint8Array {
    const rest = this.#rest;
    this.#rest = "";
    if (rest.includes("\\") || rest.length === 1) {
      throw notBase64();
    }
    return this.#decoded(rest.padEnd(rest === "" ? 0 : LETTERS_PER_GROUP, "="));
  }

  #decoded(groups: string): Uint8Array {
    if (groups === "") {
      return new Uint8Array(0);
    }
    if (this.#isPadded) {
      throw notBase64();
    }
    const padding = groups.endsWith("==") ? 2 : groups.endsWith("=") ? 1 : 0;
    this.#isPadded = padding > 0;
    // The decoder ignores letters that it does not know, so that there are fewer bytes then.
    const bytes = Buffer.from(groups, "base64");
    if (bytes.length !== (groups.length / LETTERS_PER_GROUP) * 3 - padding) {
      throw notBase64();
    }
    return bytes;
  }

  /** `rest` is an escape whose end has not arrived. */
  #unescaped(given: string): { readonly text: string; readonly rest: string } {
    const rest = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(given)?.[0] ?? "";
    const text = given
      .slice(0, given.length - rest.length)
      .replaceAll(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, code?: string, letter?: string) =>
        unescaped(
          code === undefined ? ESCAPES.get(letter ?? "") : String.fromCharCode(parseInt(code, 16)),
        ),
      );
    return { text, rest };
  }
}

/** What follows a backslash, and what it means. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["/", "/"],
  ["n", "\n"],
  ["r", "\r"],
]);

function unescaped(character: string | undefined): string {
  if (character === "\n" || character === "\r") {
    return "";
  }
  if (character === undefined || !/^[/+=A-Za-z0-9]$/.test(character)) {
    throw notBase64();
  }
  return character;
}

function notBase64() {
  return badOutput("its base64 cannot be decoded");
}
