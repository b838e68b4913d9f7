import { CAPABILITIES } from "../../contracts/models/capabilities.ts";
import type { CapabilityList } from "../../contracts/models/model.ts";
import type { Effect, EffectList, Preset, PresetList } from "../../contracts/models/preset.ts";
import { type CatalogPage, catalogPage } from "./catalog-page.ts";

/** A page of presets or effects may be limited to one category; an unknown category has none. */
export interface CategoryQuery extends CatalogPage {
  readonly category?: string | undefined;
}

/** The capabilities of models; the cursor is the `capability`. Throws `invalid_request` for an unknown cursor. */
export function listCapabilities(query: CatalogPage): CapabilityList {
  return catalogPage(CAPABILITIES, ({ capability }) => capability, query, "capability");
}

/** The presets; the cursor is `category/code`. Throws `invalid_request` for a cursor that is not in the list. */
export function listPresets(presets: readonly Preset[], query: CategoryQuery): PresetList {
  return catalogPage(inCategory(presets, query), cursorOf, query, "preset");
}

/** The effects; the cursor is `category/code`. Throws `invalid_request` for a cursor that is not in the list. */
export function listEffects(effects: readonly Effect[], query: CategoryQuery): EffectList {
  return catalogPage(inCategory(effects, query), cursorOf, query, "effect");
}

function inCategory<T extends { readonly category: string }>(
  entries: readonly T[],
  { category }: CategoryQuery,
): readonly T[] {
  return category === undefined ? entries : entries.filter((each) => each.category === category);
}

function cursorOf({
  category,
  code,
}: {
  readonly category: string;
  readonly code: string;
}): string {
  return `${category}/${code}`;
}
