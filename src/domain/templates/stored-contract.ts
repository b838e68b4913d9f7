import { canonicalJson } from "../../lib/json/canonical-json.ts";
import { asJson, parseJson } from "../../lib/json/exact-json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { ContractField, TemplateContract } from "../../templates/contract/contract-of.ts";

/** A contract as it is served and hashed: without what only comparisons need. */
export function shownContract({ page_count, pages, fields }: TemplateContract) {
  return { page_count, pages, fields: fields.map((field) => shownField(field)) };
}

/** The text of a stored contract, read with the digits of its numbers. */
export function parseContract(text: string): TemplateContract {
  // Written by this service from a contract, with its format.
  return parseJson(text) as unknown as TemplateContract;
}

/** Hex digest of the canonical JSON of a contract as it is shown. */
export async function contractHash(contract: TemplateContract): Promise<string> {
  return await sha256Hex(canonicalJson(asJson(shownContract(contract))));
}

function shownField({ items_max: _itemsMax, item_keys, ...field }: ContractField): object {
  return {
    ...field,
    ...(item_keys !== undefined && { item_keys: item_keys.map((key) => shownField(key)) }),
  };
}
