import { WeightedCache } from "../../lib/memory/weighted-cache.ts";
import { parseJson } from "../../lib/json/exact-json.ts";
import type { Env } from "../../platform/env.ts";
import type { TemplateVersionRow } from "../../storage/d1/template-rows.ts";
import { readTemplateFile } from "../../storage/r2/template-files.ts";
import { contractOf, type TemplateContract } from "../../templates/contract/contract-of.ts";
import { contractHash, parseContract } from "./stored-contract.ts";
import { readDocument } from "./prepare-document.ts";

export interface LoadedContract {
  readonly contract: TemplateContract;
  /** Hex digest of its canonical JSON. */
  readonly hash: string;
}

/** Characters of the texts of kept contracts, and bytes of memory for each when parsed. */
const KEPT_CHARS_MAX = 512 * 1024;
const BYTES_OF_CHAR = 6;

/** Contracts by the hash of their document: both never change. */
const contracts = new WeightedCache<LoadedContract>(KEPT_CHARS_MAX, BYTES_OF_CHAR);

/** A digest as resources show it, from its hex digits. */
export function hashOf(hex: string): string {
  return `sha256:${hex}`;
}

/** The contract of a revision; undefined if its file is gone or has another hash. */
export async function loadContract(
  { FILES }: Pick<Env, "FILES">,
  workspaceId: string,
  version: TemplateVersionRow,
): Promise<LoadedContract | undefined> {
  const name = `${workspaceId} ${version.content_hash}`;
  const known = contracts.get(name);
  if (known !== undefined) {
    return known;
  }
  const text = await readTemplateFile(FILES, workspaceId, version.folder, "contract");
  if (text === undefined) {
    return undefined;
  }
  const contract = parseContract(text);
  if ((await contractHash(contract)) !== version.contract_hash) {
    return undefined;
  }
  const loaded = { contract, hash: version.contract_hash };
  contracts.set(name, loaded, text.length);
  return loaded;
}

/** The contract that a draft's document has. */
export async function contractOfDraft(
  workspaceId: string,
  contentHash: string,
  content: Uint8Array,
): Promise<LoadedContract> {
  const name = `${workspaceId} ${contentHash}`;
  const known = contracts.get(name);
  if (known !== undefined) {
    return known;
  }
  const { document, fields } = readDocument(parseJson(new TextDecoder().decode(content)));
  const contract = contractOf(document, fields);
  const loaded = { contract, hash: await contractHash(contract) };
  contracts.set(name, loaded, JSON.stringify(contract).length);
  return loaded;
}
