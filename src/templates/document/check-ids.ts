import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { elementsOf } from "./element-view.ts";
import { pathOf, within, type Place } from "./place.ts";
import type { ProblemList } from "./problem-list.ts";
import { GUID } from "./scalars.ts";

type Raw = { readonly [key: string]: JsonValue };

interface Owner {
  readonly place: Place;
  /** Of a field's id: its code, which other occurrences share. */
  readonly code: JsonValue | undefined;
}

/** Ids are unique in the document, without case; occurrences of one field may share theirs. */
export function checkIds(document: Raw, problems: ProblemList): void {
  const owners = new Map<string, Owner>();
  const claim = (holder: Raw, place: Place, code?: JsonValue) => {
    const { id } = holder;
    if (typeof id !== "string" || !GUID.test(id)) {
      return;
    }
    const key = id.toLowerCase();
    const owner = owners.get(key);
    if (owner === undefined) {
      owners.set(key, { place, code });
    } else if (code === undefined || owner.code !== code) {
      problems.add(
        "duplicate_id",
        within(place, "id"),
        `Is also the id of ${pathOf(owner.place)}. Give each its own; letter case makes no difference.`,
      );
    }
  };
  const claimField = (holder: JsonValue | undefined, place: Place) => {
    if (isJsonObject(holder)) {
      claim(holder, place, holder["code"] ?? "");
    }
  };
  // A stack instead of recursion: the lists may nest deeper than is allowed.
  const lists: { readonly list: JsonValue | undefined; readonly place: Place }[] = [];
  for (const key of ["pages", "masterPages", "components", "styles", "sampleSets"]) {
    for (const { raw, place } of elementsOf(document[key], { parent: null, key })) {
      claim(raw, place);
      lists.push({ list: raw["elements"], place: { parent: place, key: "elements" } });
    }
  }
  const claimOverrides = (holder: Raw, place: Place) => {
    // An instance in a component may be overridden itself, with overrides of its own.
    const left = [{ list: holder["overrides"], at: { parent: place, key: "overrides" } as Place }];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      for (const { raw, place: entry } of elementsOf(next.list, next.at)) {
        const properties = raw["properties"];
        if (isJsonObject(properties)) {
          const own = { parent: entry, key: "properties" };
          claimField(properties["placeholder"], { parent: own, key: "placeholder" });
          lists.push({ list: properties["header"], place: { parent: own, key: "header" } });
          left.push({ list: properties["overrides"], at: { parent: own, key: "overrides" } });
        }
      }
    }
  };
  // First come, first kept: lists in the order of the document, so that the later one is reported.
  for (let i = 0; i < lists.length && !problems.isFull; i += 1) {
    const next = lists[i];
    for (const { raw, place } of next === undefined ? [] : elementsOf(next.list, next.place)) {
      claim(raw, place);
      claimField(raw["placeholder"], { parent: place, key: "placeholder" });
      claimOverrides(raw, place);
      for (const key of ["header", "children"]) {
        if (raw[key] !== undefined) {
          lists.push({ list: raw[key], place: { parent: place, key } });
        }
      }
    }
  }
}
