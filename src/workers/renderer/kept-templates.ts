import { plainNumbers } from "../../contracts/workflows/plain-numbers.ts";
import { canonicalJson } from "../../lib/json/canonical-json.ts";
import { type JsonValue, parseJson } from "../../lib/json/exact-json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { WeightedCache } from "../../lib/memory/weighted-cache.ts";
import type { FieldSpec } from "../../templates/document/field-tree.ts";
import type { DocumentMetadata } from "../../templates/document/design-document.ts";
import { validateDocument } from "../../templates/document/validate-document.ts";
import { prepareDocument } from "../../templates/layout/prepare/prepare-document.ts";
import type { PreparedDocument } from "../../templates/layout/prepare/prepared.ts";
import type { RenderFonts } from "./resources/render-fonts.ts";

/** A document made ready, and what of it does not depend on values. */
export interface KeptTemplate {
  readonly prepared: PreparedDocument;
  readonly fields: ReadonlyMap<string, FieldSpec>;
  readonly metadata: DocumentMetadata;
  /** The fonts of its last render, with the texts that were laid out with them. */
  lastFonts: { readonly catalog: string; readonly fonts: RenderFonts } | undefined;
}

/** A prepared document takes some ten times its text. */
const BYTES_OF_CHARACTER = 12;
/** Characters of the documents whose preparation is kept. */
const KEPT_CHARACTERS = 700_000;

/** The document is not valid, although only valid ones are stored. */
export class DocumentInvalidError extends Error {
  override readonly name = "DocumentInvalidError";
}

/** Prepared documents by workspace and content, the last used ones. They hold no values of renders. */
export class KeptTemplates {
  readonly #kept = new WeightedCache<KeptTemplate>(KEPT_CHARACTERS, BYTES_OF_CHARACTER);

  /** `read` returns the document's JSON. Throws DocumentInvalidError, and what `read` throws. */
  async get(
    workspaceId: string,
    contentHash: string,
    read: () => Promise<string>,
  ): Promise<KeptTemplate> {
    const key = `${workspaceId} ${contentHash}`;
    let template = this.#kept.get(key);
    if (template === undefined) {
      const text = await read();
      template = await prepare(text, contentHash);
      this.#kept.set(key, template, text.length);
    }
    return template;
  }
}

async function prepare(text: string, contentHash: string): Promise<KeptTemplate> {
  let stored: JsonValue;
  try {
    stored = parseJson(text);
  } catch (cause) {
    throw new DocumentInvalidError("it is not JSON", { cause });
  }
  if (`sha256:${await sha256Hex(canonicalJson(stored))}` !== contentHash) {
    throw new DocumentInvalidError("it is not the one that was asked for");
  }
  const document = plainNumbers(stored);
  const valid = validateDocument(document);
  if (!valid.ok) {
    const [problem] = valid.problems;
    throw new DocumentInvalidError(`${problem?.field ?? ""}: ${problem?.message ?? ""}`);
  }
  const { title = "", author = "", subject = "", keywords = [] } = valid.document.metadata ?? {};
  return {
    prepared: prepareDocument(valid.document),
    fields: valid.fields,
    metadata: { title, author, subject, keywords },
    lastFonts: undefined,
  };
}
