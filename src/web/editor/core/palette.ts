/** The palette: node types by category, or by relevance for a search. */
import { searchFields } from "../../../contracts/workflows/search-fields.ts";
import { rankByWords } from "../../../lib/rank-by-words.ts";
import { fittingPorts } from "./connect.ts";
import type { CatalogEntry, Port } from "./ports.ts";

export interface PaletteGroup {
  /** Null for the results of a search. */
  readonly category: string | null;
  readonly entries: readonly CatalogEntry[];
}

/** A wire that was dropped on the canvas: the palette offers the types that it fits. */
export interface Dangling {
  readonly side: "from" | "to";
  readonly type: string;
  readonly port?: Port;
}

/** Categories that the contract names (docs/contract/workflows.md#ports): inputs come first and outputs last. */
const RANKS: Readonly<Record<string, number>> = { input: 0, output: 2 };

/** The types to show. A deprecated type is offered only to a search. */
export function paletteGroups(
  entries: readonly CatalogEntry[],
  search: string,
  dangling?: Dangling,
): readonly PaletteGroup[] {
  const fitting =
    dangling === undefined
      ? entries
      : entries.filter((entry) => fittingPorts(entry, dangling).length > 0);
  if (search.trim() !== "") {
    return [{ category: null, entries: searchEntries(fitting, search) }];
  }
  const byCategory = new Map<string, CatalogEntry[]>();
  for (const entry of fitting) {
    if (entry.status !== "deprecated") {
      byCategory.set(entry.category, [...(byCategory.get(entry.category) ?? []), entry]);
    }
  }
  return [...byCategory]
    .map(([category, list]) => ({
      category,
      entries: list.toSorted((a, b) => a.name.localeCompare(b.name, "en")),
    }))
    .toSorted(
      (a, b) =>
        (RANKS[a.category] ?? 1) - (RANKS[b.category] ?? 1) || (a.category < b.category ? -1 : 1),
    );
}

/** By relevance, then by type, as `GET /api/v1/node-types?search=` orders them. */
export function searchEntries(
  entries: readonly CatalogEntry[],
  search: string,
): readonly CatalogEntry[] {
  return entries
    .map((entry) => ({
      entry,
      score: rankByWords(
        searchFields({
          ...entry,
          whenToUse: entry.when_to_use,
          capabilities: entry.capabilities ?? [],
        }),
        search,
      ),
    }))
    .filter(({ score }) => score !== undefined)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0) || (a.entry.type < b.entry.type ? -1 : 1))
    .map(({ entry }) => entry);
}
