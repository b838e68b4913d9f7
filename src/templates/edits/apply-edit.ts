import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { pathOf, within } from "../document/place.ts";
import type { DocumentProblem } from "../document/problem.ts";
import { PROBLEMS_MAX } from "../document/problem-list.ts";
import { validateDocument } from "../document/validate-document.ts";
import { documentForm, foreignNames, type EditTarget, type Properties } from "./document-form.ts";
import type { EditCommand, SheetTarget } from "./edit-command.ts";
import {
  findElement,
  findEntry,
  insertAt,
  removeAt,
  replaceAt,
  valueAt,
  type Way,
} from "./element-places.ts";

export type EditResult =
  | {
      readonly ok: true;
      readonly document: JsonValue;
      /** What was made or changed, in the document's own form; null for what was removed. */
      readonly entry: JsonValue;
    }
  | {
      readonly ok: false;
      readonly kind: "missing";
      readonly code: "page_not_found" | "master_not_found" | "sample_set_not_found" | "not_found";
      readonly message: string;
    }
  | {
      readonly ok: false;
      /** The envelope: `validation_error`. */
      readonly kind: "envelope";
      readonly field: "parent_id" | "page_id";
      readonly message: string;
    }
  | {
      readonly ok: false;
      readonly kind: "invalid";
      readonly problems: readonly DocumentProblem[];
    };

export type EditRefusal = Extract<EditResult, { ok: false }>;
interface Step {
  readonly document: JsonValue;
  readonly way: Way | null;
}

const LISTS: Readonly<Record<SheetTarget, string>> = {
  page: "pages",
  master: "masterPages",
  sample_set: "sampleSets",
};
const CONTAINERS: ReadonlySet<JsonValue | undefined> = new Set([
  "group",
  "folder",
  "layout_region",
  "repeat_region",
]);

/**
 * Applies one edit to a valid document and validates the whole: the result is another valid document, or the reasons
 * why there is none. Nothing of the given document is changed. `newId` makes the ids that a command leaves out.
 */
export function applyEdit(
  document: JsonValue,
  command: EditCommand,
  newId: () => string,
): EditResult {
  const step = take(document, command, newId);
  if ("ok" in step) {
    return step;
  }
  const validated = validateDocument(step.document);
  if (!validated.ok) {
    return { ok: false, kind: "invalid", problems: validated.problems };
  }
  const entry = step.way === null ? null : (valueAt(step.document, step.way) ?? null);
  return { ok: true, document: step.document, entry };
}

function take(document: JsonValue, command: EditCommand, newId: () => string): Step | EditRefusal {
  switch (command.kind) {
    case "create":
      return create(document, command, newId);
    case "change":
      return change(document, command);
    case "remove":
      return remove(document, command);
    case "create_element":
      return createElement(document, command, newId);
    case "insert_element": {
      const { pageId, parentId, element } = command;
      const list = listFor(document, pageId, parentId ?? null);
      return "ok" in list ? list : insertAt(document, list.way, undefined, withIds(element, newId));
    }
    case "change_element":
      return changeElement(document, command, newId);
  }
}

function create(
  document: JsonValue,
  { target, index, properties }: EditCommand & { readonly kind: "create" },
  newId: () => string,
): Step | EditRefusal {
  const given = documentForm(properties, target);
  const foreign = foreignNames(properties, target);
  const list = LISTS[target];
  const entries = valueAt(document, [list]);
  const at = Math.min(index ?? Infinity, Array.isArray(entries) ? entries.length : 0);
  const refusal = refuse(given, target === "sample_set" ? [] : ["elements"], [list, at], foreign);
  const entry = { ...(Object.hasOwn(given, "id") ? {} : { id: newId() }), ...given };
  return refusal ?? insertAt(document, [list], index, entry);
}

function change(
  document: JsonValue,
  { target, id, index, properties }: EditCommand & { readonly kind: "change" },
): Step | EditRefusal {
  const way = findEntry(document, LISTS[target], id);
  if (way === undefined) {
    return missing(target, id);
  }
  const given = documentForm(properties, target);
  const refusal = refuse(
    given,
    target === "sample_set" ? ["id"] : ["id", "elements"],
    way,
    foreignNames(properties, target),
  );
  const changed = patched(valueAt(document, way), given);
  if (refusal !== undefined || index === undefined) {
    return refusal ?? { document: replaceAt(document, way, changed), way };
  }
  return insertAt(removeAt(document, way), way.slice(0, -1), index, changed);
}

function remove(
  document: JsonValue,
  { target, id }: EditCommand & { readonly kind: "remove" },
): Step | EditRefusal {
  const way =
    target === "element" ? findElement(document, id) : findEntry(document, LISTS[target], id);
  return way === undefined ? missing(target, id) : { document: removeAt(document, way), way: null };
}

function createElement(
  document: JsonValue,
  { pageId, parentId, index, properties }: EditCommand & { readonly kind: "create_element" },
  newId: () => string,
): Step | EditRefusal {
  const list = listFor(document, pageId, parentId ?? null);
  if ("ok" in list) {
    return list;
  }
  const element = withIds(documentForm(properties, "element"), newId);
  const foreign = foreignNames(properties, "element");
  const entries = valueAt(document, list.way);
  const at = Math.min(index ?? Infinity, Array.isArray(entries) ? entries.length : 0);
  return (
    refuse(element, [], [...list.way, at], foreign) ?? insertAt(document, list.way, index, element)
  );
}

function changeElement(
  document: JsonValue,
  command: EditCommand & { readonly kind: "change_element" },
  newId: () => string,
): Step | EditRefusal {
  const { id, pageId, parentId, index, properties } = command;
  const way = findElement(document, id);
  if (way === undefined) {
    return missing("element", id);
  }
  // Where it goes is found before its properties are read: what is missing is refused before what breaks a rule.
  const isMoved = pageId !== undefined || parentId !== undefined || index !== undefined;
  const target = isMoved ? targetOf(document, way, pageId, parentId) : undefined;
  if (target !== undefined && "ok" in target) {
    return target;
  }
  const given = documentForm(properties, "element");
  const refusal = refuse(
    given,
    ["$type", "id", "children"],
    way,
    foreignNames(properties, "element"),
  );
  if (refusal !== undefined) {
    return refusal;
  }
  const changed = patched(valueAt(document, way), partsWithIds(given, newId));
  return target === undefined
    ? { document: replaceAt(document, way, changed), way }
    : insertAt(target.without, target.list, index, changed);
}

/** The document without an element, and the list to put it in: that of a page or a parent if one is named. */
function targetOf(
  document: JsonValue,
  way: Way,
  pageId: string | undefined,
  parentId: string | null | undefined,
): { readonly without: JsonValue; readonly list: Way } | EditRefusal {
  if (typeof parentId === "string" && holdsElement(valueAt(document, way) ?? null, parentId)) {
    return {
      ok: false,
      kind: "envelope",
      field: "parent_id",
      message: "The element cannot be moved into itself. Name another parent.",
    };
  }
  const without = removeAt(document, way);
  if (pageId === undefined && parentId === undefined) {
    return { without, list: way.slice(0, -1) };
  }
  const sheet = valueAt(document, way.slice(0, 2));
  const sheetId = isJsonObject(sheet) && typeof sheet["id"] === "string" ? sheet["id"] : "";
  const list = listFor(without, pageId ?? sheetId, parentId ?? null);
  return "ok" in list ? list : { without, list: list.way };
}

/** The refusal of a page or a parent that a new element cannot be put in; undefined if it can. */
export function refusedPlace(
  document: JsonValue,
  pageId: string,
  parentId: string | null,
): EditRefusal | undefined {
  const list = listFor(document, pageId, parentId);
  return "ok" in list ? list : undefined;
}

/** The list that a page, or a container on it, holds its elements in. */
function listFor(
  document: JsonValue,
  pageId: string,
  parentId: string | null,
): { readonly way: Way } | EditRefusal {
  const sheet = findEntry(document, "pages", pageId) ?? findEntry(document, "masterPages", pageId);
  if (sheet === undefined) {
    return missing("page", pageId);
  }
  if (parentId === null) {
    return { way: [...sheet, "elements"] };
  }
  const parent = findElement(document, parentId, sheet);
  if (parent === undefined) {
    return missing("element", parentId);
  }
  const container = valueAt(document, parent);
  if (!isJsonObject(container) || !CONTAINERS.has(container["$type"])) {
    return {
      ok: false,
      kind: "envelope",
      field: "parent_id",
      message: "The parent must be a group, a region or a folder.",
    };
  }
  return { way: [...parent, "children"] };
}

function holdsElement(element: JsonValue, id: string): boolean {
  return findElement({ pages: [{ elements: [element] }] }, id) !== undefined;
}

/** Named properties are replaced whole; null removes one. */
function patched(value: JsonValue | undefined, given: Properties): JsonValue {
  const before = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries([
    ...before.flatMap(([name, old]): [string, JsonValue][] => {
      const next = Object.hasOwn(given, name) ? (given[name] ?? null) : old;
      return next === null && Object.hasOwn(given, name) ? [] : [[name, next]];
    }),
    ...Object.entries(given).filter(
      ([name, next]) => next !== null && !(isJsonObject(value) && Object.hasOwn(value, name)),
    ),
  ]);
}

/** The element, its field and the elements in it with an id each. */
function withIds(element: Properties, newId: () => string): Properties {
  return {
    ...(Object.hasOwn(element, "id") ? {} : { id: newId() }),
    ...partsWithIds(element, newId),
  };
}

/** Those that an instance overrides too: they are parts of its element. */
function partsWithIds(element: Properties, newId: () => string): Properties {
  const { placeholder, children, header, overrides } = element;
  const inside = (list: JsonValue): JsonValue =>
    Array.isArray(list)
      ? (list as readonly JsonValue[]).map((one) => (isJsonObject(one) ? withIds(one, newId) : one))
      : list;
  return {
    ...element,
    ...(isJsonObject(placeholder) &&
      !Object.hasOwn(placeholder, "id") && { placeholder: { id: newId(), ...placeholder } }),
    ...(children !== undefined && { children: inside(children) }),
    ...(header !== undefined && { header: inside(header) }),
    ...(Array.isArray(overrides) && {
      overrides: (overrides as readonly JsonValue[]).map((one) =>
        isJsonObject(one) && isJsonObject(one["properties"])
          ? { ...one, properties: partsWithIds(one["properties"], newId) }
          : one,
      ),
    }),
  };
}

/** Properties that this command does not take, and names that are not those of commands. */
function refuse(
  given: Properties,
  names: readonly string[],
  way: Way,
  foreign: ReturnType<typeof foreignNames>,
): EditRefusal | undefined {
  const problem = (name: string, message: string): DocumentProblem => ({
    field: pathOf(within(null, ...way, name)),
    message,
    code: "unknown_property",
  });
  const problems = [
    ...names
      .filter((name) => Object.hasOwn(given, name))
      .map((name) => problem(name, `This command does not take "${name}". Leave it out.`)),
    ...foreign.map(([name, right]) => problem(name, `In commands this property is "${right}".`)),
  ];
  return problems.length === 0
    ? undefined
    : { ok: false, kind: "invalid", problems: problems.slice(0, PROBLEMS_MAX) };
}

const MISSING = {
  page: ["page_not_found", "page"],
  master: ["master_not_found", "master page"],
  sample_set: ["sample_set_not_found", "sample set"],
  element: ["not_found", "element"],
} as const;

function missing(target: EditTarget, id: string): EditRefusal {
  const [code, name] = MISSING[target];
  return {
    ok: false,
    kind: "missing",
    code,
    message: `The draft has no ${name} with the id ${id}.`,
  };
}
