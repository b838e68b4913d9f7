import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { readPathData } from "../geometry/read-path-data.ts";
import { countCharacters } from "../../lib/count-characters.ts";
import { isLanguageTag } from "./locale-names.ts";
import type { ElementView } from "./element-view.ts";
import { isLinkAddress } from "./link.ts";
import { within, type Place } from "./place.ts";
import type { ProblemList } from "./problem-list.ts";

const RADIUS_TOLERANCE = 0.01;

/** The rules of one element that its schema does not state; values of a wrong type are passed over. */
export function checkElement(element: ElementView, problems: ProblemList): void {
  switch (element.type) {
    case "text":
      checkTextElement(element, problems);
      break;
    case "circle":
      checkOwnSize(element, "width", "radius", problems);
      checkOwnSize(element, "height", "radius", problems);
      break;
    case "ellipse":
      checkOwnSize(element, "width", "rx", problems);
      checkOwnSize(element, "height", "ry", problems);
      break;
    case "path":
      checkPathData(element.get("pathData"), element.placeOf("pathData"), problems);
      break;
    case "image":
      checkMask(element, "clipPath", problems);
      checkMask(element, "opacityMask", problems);
      break;
    case "repeat_region":
      if (element.get("direction") === "horizontal" && element.get("itemWidth") === undefined) {
        problems.add(
          "missing_property",
          element.placeOf("itemWidth"),
          "Is missing. Rows that stand side by side need their width: add itemWidth.",
        );
      }
      break;
    default:
  }
  checkPaints(element, problems);
  checkLinkAddress(element.get("link"), element.placeOf("link"), problems);
}

function checkTextElement(element: ElementView, problems: ProblemList): void {
  const max = LIMITS.template_text.value;
  const text = element.get("text");
  const rich = element.get("richText");
  if (text !== undefined && rich !== undefined) {
    problems.add(
      "invalid_value",
      element.placeOf("richText"),
      "An element has text or richText, not both. Remove one.",
    );
  }
  if (typeof text === "string" && text.length > max && countCharacters(text) > max) {
    problems.add(
      "limit_exceeded",
      element.placeOf("text"),
      `Must have at most ${max} characters, and has ${countCharacters(text)}. Divide it among several elements.`,
    );
  }
  checkRichText(rich, element.placeOf("richText"), problems);
  const tag = element.get("language");
  if (typeof tag === "string" && !isLanguageTag(tag)) {
    problems.add(
      "invalid_value",
      element.placeOf("language"),
      "Must be a BCP 47 language tag such as en or pt-BR.",
    );
  }
}

function checkRichText(rich: JsonValue | undefined, place: Place, problems: ProblemList): void {
  if (!isJsonObject(rich) || !Array.isArray(rich["paragraphs"])) {
    return;
  }
  const paragraphs = rich["paragraphs"] as readonly JsonValue[];
  let runs = 0;
  let characters = 0;
  for (const [i, paragraph] of paragraphs.entries()) {
    const list = isJsonObject(paragraph) ? paragraph["runs"] : undefined;
    if (!Array.isArray(list)) {
      continue;
    }
    runs += list.length;
    for (const [j, run] of (list as readonly JsonValue[]).entries()) {
      if (!isJsonObject(run)) {
        continue;
      }
      const text = run["text"];
      characters += typeof text === "string" ? countCharacters(text) : 0;
      if (run["link"] !== undefined) {
        const at = within(place, "paragraphs", i, "runs", j, "link") as Place;
        checkLinkAddress(run["link"], at, problems);
      }
    }
  }
  for (const [count, limit, name] of [
    [paragraphs.length, LIMITS.template_paragraphs.value, "paragraphs"],
    [runs, LIMITS.template_runs.value, "runs"],
    [characters, LIMITS.template_text.value, "characters"],
  ] as const) {
    if (count > limit) {
      problems.add(
        "limit_exceeded",
        place,
        `A rich text has at most ${limit} ${name}, and this one has ${count}. Divide it among several elements.`,
      );
    }
  }
}

/** A circle's or an ellipse's size follows from its radii. */
function checkOwnSize(
  element: ElementView,
  side: "width" | "height",
  radius: string,
  problems: ProblemList,
): void {
  const given = element.number(side);
  const half = element.number(radius);
  if (given !== undefined && half !== undefined && Math.abs(given - 2 * half) > RADIUS_TOLERANCE) {
    problems.add(
      "invalid_value",
      element.placeOf(side),
      `Must be 2 × ${radius}, ${2 * half}, and is ${given}. Leave it out, or make them agree.`,
    );
  }
}

function checkPathData(data: JsonValue | undefined, place: Place, problems: ProblemList): void {
  if (typeof data !== "string" || data.length > LIMITS.template_path_data.value) {
    return;
  }
  const result = readPathData(data);
  if (!result.ok) {
    const { at, reason } = result.problem;
    problems.add("invalid_path_data", place, `At character ${at + 1}: ${reason}.`);
  }
}

function checkMask(
  element: ElementView,
  name: "clipPath" | "opacityMask",
  problems: ProblemList,
): void {
  const mask = element.get(name);
  const shapes = isJsonObject(mask) ? mask["shapes"] : undefined;
  if (!Array.isArray(shapes)) {
    return;
  }
  for (const [i, shape] of (shapes as readonly JsonValue[]).entries()) {
    if (isJsonObject(shape)) {
      const place = within(element.placeOf(name), "shapes", i, "pathData") as Place;
      checkPathData(shape["pathData"], place, problems);
    }
  }
}

function checkPaints(element: ElementView, problems: ProblemList): void {
  checkGradient(element.get("fillPaint"), element.placeOf("fillPaint"), false, problems);
  checkGradient(element.get("strokePaint"), element.placeOf("strokePaint"), true, problems);
}

/** Stops in order; those of a stroke without transparency. */
export function checkGradient(
  gradient: JsonValue | undefined,
  place: Place,
  isStroke: boolean,
  problems: ProblemList,
): void {
  const stops = isJsonObject(gradient) ? gradient["stops"] : undefined;
  if (!Array.isArray(stops)) {
    return;
  }
  let before = -Infinity;
  for (const [i, stop] of (stops as readonly JsonValue[]).entries()) {
    if (!isJsonObject(stop)) {
      continue;
    }
    const offset = Number(stop["offset"] ?? Number.NaN);
    if (offset < before) {
      problems.add(
        "invalid_value",
        within(place, "stops", i, "offset"),
        `Offsets must not fall, and ${offset} follows ${before}. Sort the stops by offset.`,
      );
    }
    before = Math.max(before, Number.isNaN(offset) ? before : offset);
    if (isStroke && stop["opacity"] !== undefined && Number(stop["opacity"]) !== 1) {
      problems.add(
        "stroke_gradient_not_opaque",
        within(place, "stops", i, "opacity"),
        "A gradient on a stroke must be opaque. Remove the opacity of its stops.",
      );
    }
  }
}

function checkLinkAddress(link: JsonValue | undefined, place: Place, problems: ProblemList): void {
  if (isJsonObject(link) && link["type"] === "url" && typeof link["url"] === "string") {
    if (!isLinkAddress(link["url"])) {
      problems.add(
        "DESIGN_LINK_INVALID",
        within(place, "url"),
        "Must be an address that begins with https:, http:, mailto: or tel:, without spaces.",
      );
    }
  }
}
