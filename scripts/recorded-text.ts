/** Makes recordings reproducible: ids, times, secrets and addresses in responses are replaced. */
import { createHash } from "node:crypto";

/** The time of everything in the examples. */
const TIME = "2026-11-22T12:00:00.000Z";

export class RecordedText {
  readonly #replaced = new Map<string, string>();

  constructor(replaced: Readonly<Record<string, string>>) {
    for (const [text, by] of Object.entries(replaced)) {
      this.#replaced.set(text, by);
    }
  }

  /** Replaces `text`, which must not be published, with `by` everywhere. */
  replace(text: string, by: string): void {
    this.#replaced.set(text, by);
  }

  /** Deterministic for the same sequence of calls: random values are numbered in order of appearance. */
  stable(json: string): string {
    let text = json;
    for (const [secret, by] of this.#replaced) {
      text = text.replaceAll(secret, by);
    }
    text = text
      // Times of the 2030s are those that the calls name.
      .replaceAll(/(?!203)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, TIME)
      .replaceAll(/(?<=assets\/)\d{4}\/\d\d\/\d\d/g, "2026/11/22")
      // The end of the run's id, in the names of its files.
      .replaceAll(/(?<=_)[0-9a-f]{12}(?=_\d)/g, "000000000001")
      .replaceAll(/(?<=-)[0-9a-f]{8}(?=\.zip)/g, "00000001")
      .replaceAll(/(?<=(?:Cards|Handwriting) )\d{13}/g, "2026")
      .replaceAll(/(?<=\/previews\/)\d+/g, "1795353600")
      .replaceAll(/(?<=dd-draft-r\d+-)[0-9a-f]{16}/g, "4c2f6a1be5f09d37")
      .replaceAll(/(?<=expires=)\d+/g, "1795353600")
      .replaceAll(/(?<="(?:duration_ms|elapsed_ms)": )\d+/g, "12")
      .replaceAll(/(?<=signature=)[\w-]+/g, "SIGNATURE");
    text = numbered(text, /(?<=[_/])[0-9a-f]{32}\b/g, (n) => n.padStart(32, "0"));
    text = numbered(text, GUID, (n) => `0190f3a2-7c1e-7000-8000-${n.padStart(12, "0")}`);
    // Digests, random paths and entity tags.
    text = numbered(text, /\b[0-9a-f]{64}\b/g, hex);
    return numbered(text, /(?<=[/"])[A-Za-z0-9_-]{43}(?=[/".])/g, (n) => hex(n).slice(0, 43));
  }
}

const GUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

function hex(seed: string): string {
  return createHash("sha256").update(seed).digest("hex");
}

function numbered(text: string, pattern: RegExp, made: (n: string) => string): string {
  const known = new Map<string, string>();
  return text.replaceAll(pattern, (found) => {
    const by = known.get(found) ?? made(String(known.size + 1));
    known.set(found, by);
    return by;
  });
}
