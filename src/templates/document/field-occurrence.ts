import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import type { ElementView } from "./element-view.ts";
import type { ElementType } from "./elements.ts";
import { FIELD_TYPES, type FieldType, isReservedCode } from "./field.ts";
import type { FieldScope, FieldSpec, FieldTree } from "./field-tree.ts";
import { checkFormat } from "./check-format.ts";
import type { ProblemList } from "./problem-list.ts";

const SHAPES: readonly ElementType[] = ["rectangle", "circle", "ellipse", "line", "path"];

/** The types of elements that a field may sit on; "boolean" sits on all but lists. */
const SEATS: Readonly<Record<FieldType, readonly ElementType[] | "any">> = {
  text: ["text"],
  number: ["text"],
  date: ["text"],
  url: ["text"],
  image: ["image"],
  color: ["text", ...SHAPES],
  boolean: "any",
  list: ["repeat_region"],
};

/** Checks the field of an element, if it has one, and adds it to the tree; without a tree it is only checked. */
export function addField(
  element: ElementView,
  tree: FieldTree | null,
  scope: FieldScope,
  problems: ProblemList,
): FieldSpec | undefined {
  const raw = element.get("placeholder");
  if (!isJsonObject(raw) || element.type === undefined) {
    return undefined;
  }
  const place = element.placeOf("placeholder");
  const { code, placeholderType } = raw;
  const type = FIELD_TYPES.find((known) => known === placeholderType);
  if (typeof code !== "string" || type === undefined) {
    return undefined;
  }
  if (isReservedCode(code)) {
    problems.add(
      "invalid_field_code",
      { parent: place, key: "code" },
      `"${code}" has a meaning of its own. Choose another code.`,
    );
    return undefined;
  }
  checkFormat(raw["format"], type, { parent: place, key: "format" }, problems);
  if (!mayHold(element.type, type)) {
    const seats = SEATS[type];
    problems.add(
      "field_type_mismatch",
      { parent: place, key: "placeholderType" },
      element.type === "repeat_region"
        ? 'The field of a repeat_region is of type "list". Change its type.'
        : `A field of type "${type}" does not sit on an element of type "${element.type}". Use it on ${seats === "any" ? "another element" : seats.join(", ")}.`,
    );
    return undefined;
  }
  return tree?.add(
    {
      code,
      type,
      name: textOf(raw["name"]),
      description: textOf(raw["description"]),
      required: raw["required"] === true,
      format: raw["format"],
      defaultValue: raw["defaultValue"] ?? undefined,
      content: contentOf(element, type),
      itemsMax: type === "list" ? (element.number("maxItems") ?? 100) : undefined,
      elementId: textOf(element.get("id")),
      place,
    },
    scope,
    problems,
  );
}

function mayHold(element: ElementType, type: FieldType): boolean {
  const seats = SEATS[type];
  return seats === "any" ? element !== "repeat_region" : seats.includes(element);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** What the element shows if the field has neither a value nor a default. */
function contentOf(element: ElementView, type: FieldType): JsonValue {
  switch (type) {
    case "text":
    case "number":
    case "date":
    case "url":
      return element.get("text") ?? richTextOf(element.get("richText"));
    case "image":
      return element.get("src") ?? null;
    case "color":
      return element.type === "line"
        ? (element.get("stroke") ?? "#000000")
        : (element.get("fill") ?? "#000000");
    case "boolean":
      return element.get("visible") ?? true;
    case "list":
      return null;
  }
}

/** The characters of a rich text, a line for each paragraph. */
function richTextOf(rich: JsonValue | undefined): string {
  const paragraphs = isJsonObject(rich) ? rich["paragraphs"] : undefined;
  if (!Array.isArray(paragraphs)) {
    return "";
  }
  return (paragraphs as readonly JsonValue[])
    .map((paragraph) => {
      const runs = isJsonObject(paragraph) ? paragraph["runs"] : undefined;
      return Array.isArray(runs)
        ? (runs as readonly JsonValue[])
            .map((run) => (isJsonObject(run) ? textOf(run["text"]) : ""))
            .join("")
        : "";
    })
    .join("\n");
}
