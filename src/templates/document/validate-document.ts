import { ExactNumber, isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { checkDefaults } from "../values/check-defaults.ts";
import { checkOf } from "./check-shape.ts";
import { DesignDocument, type DesignDocumentInput, SCHEMA_VERSION } from "./design-document.ts";
import { checkIds } from "./check-ids.ts";
import { checkGradient } from "./element-rules.ts";
import { elementsOf } from "./element-view.ts";
import type { FieldTree } from "./field-tree.ts";
import { pathOf, within, type Place } from "./place.ts";
import type { DocumentProblem } from "./problem.ts";
import { ProblemList } from "./problem-list.ts";
import { References } from "./references.ts";
import { DocumentWalk } from "./walk-document.ts";

type Raw = { readonly [key: string]: JsonValue };

export type ValidatedDocument =
  | {
      readonly ok: true;
      /** The same value: nothing is filled in or left out. */
      readonly document: DesignDocumentInput;
      readonly fields: FieldTree["fields"];
    }
  | { readonly ok: false; readonly problems: readonly DocumentProblem[] };

/** Lists and objects inside of each other; no valid document comes near, and code below calls itself at each level. */
const NESTING_MAX = 1_000;
const SIZE_TOLERANCE = 0.01;

/**
 * Checks a whole document, in time linear in its size (docs/contract/templates.md#documents). Never throws for JSON of
 * any shape. Every problem is reported, at most 1,000.
 */
export function validateDocument(value: unknown): ValidatedDocument {
  const problems = new ProblemList();
  const deep = tooDeepIn(value);
  if (!isJsonObject(value)) {
    problems.add("invalid_value", null, "A design document must be an object.");
  } else if (value["schemaVersion"] !== SCHEMA_VERSION) {
    problems.add(
      "invalid_value",
      { parent: null, key: "schemaVersion" },
      `Must be "${SCHEMA_VERSION}": this service reads no other version.`,
    );
  } else if (deep !== undefined) {
    problems.add("limit_exceeded", deep, `Nests deeper than ${NESTING_MAX} levels. Flatten it.`);
  } else {
    const tree = checkWhole(value, problems);
    if (problems.all.length === 0) {
      // Without problems it has the shape of the schemas, by which `checkWhole` read it.
      return { ok: true, document: value as unknown as DesignDocumentInput, fields: tree.fields };
    }
  }
  return { ok: false, problems: problems.all };
}

/** A place beyond the bound of nesting, found without recursion; its path is cut short. */
function tooDeepIn(value: unknown): Place | undefined {
  let level: { readonly value: object; readonly place: Place | null }[] = isHolder(value)
    ? [{ value, place: null }]
    : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const { value: holder, place } of level) {
      for (const [key, child] of Object.entries(holder)) {
        if (isHolder(child)) {
          if (depth >= NESTING_MAX) {
            return { parent: place, key: Array.isArray(holder) ? Number(key) : key };
          }
          next.push({
            value: child,
            place: { parent: place, key: Array.isArray(holder) ? Number(key) : key },
          });
        }
      }
    }
    level = next;
  }
  return undefined;
}

function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof ExactNumber);
}

function checkWhole(document: Raw, problems: ProblemList): FieldTree {
  checkOf(DesignDocument)(document, null, "", problems);
  checkIds(document, problems);
  checkSampleSetNames(document, problems);
  const references = new References(document);
  const walk = new DocumentWalk(references, problems);
  for (const { raw, place } of entriesOf(document, "pages")) {
    checkPage(raw, place, references, problems);
    walk.walkPage(raw["elements"], place);
  }
  for (const { raw, place } of entriesOf(document, "masterPages")) {
    checkGradient(
      raw["backgroundPaint"],
      within(place, "backgroundPaint") as Place,
      false,
      problems,
    );
    walk.walkMaster(raw["elements"], place);
  }
  for (const { raw, place } of entriesOf(document, "components")) {
    const { id } = raw;
    walk.walkComponent(typeof id === "string" ? id.toLowerCase() : "", raw["elements"], place);
  }
  for (const { raw, place } of entriesOf(document, "styles")) {
    const properties = isJsonObject(raw["properties"]) ? raw["properties"] : {};
    for (const name of ["fillPaint", "strokePaint"]) {
      const at = within(place, "properties", name) as Place;
      checkGradient(properties[name], at, name === "strokePaint", problems);
    }
  }
  walk.checkReadings();
  checkDefaults(walk.tree, problems);
  return walk.tree;
}

function entriesOf(document: Raw, key: string) {
  return elementsOf(document[key], { parent: null, key });
}

function checkPage(page: Raw, place: Place, references: References, problems: ProblemList): void {
  checkGradient(
    page["backgroundPaint"],
    within(place, "backgroundPaint") as Place,
    false,
    problems,
  );
  const { masterPageId: id, masterAssignment: assignment } = page;
  const at = within(place, "masterPageId");
  if (id === undefined) {
    if (assignment === "manual") {
      problems.add(
        "missing_property",
        at,
        'Is missing. A page whose masterAssignment is "manual" names its master page.',
      );
    }
    return;
  }
  const master = typeof id === "string" ? references.master(id.toLowerCase()) : undefined;
  if (master === undefined) {
    problems.add(
      "unknown_reference",
      at,
      "The document has no master page with this id. Correct the id, or remove it.",
    );
  } else if (
    assignment === "manual" &&
    !(sameSize(page, master, "width") && sameSize(page, master, "height"))
  ) {
    problems.add(
      "master_size_mismatch",
      at,
      `The master page is ${plain(master["width"])} × ${plain(master["height"])} and this page ${plain(page["width"])} × ${plain(page["height"])}. Make their sizes equal, or name another.`,
    );
  }
}

function sameSize(page: Raw, master: Raw, side: "width" | "height"): boolean {
  return !(Math.abs(plain(page[side]) - plain(master[side])) > SIZE_TOLERANCE);
}

function plain(value: JsonValue | undefined): number {
  return value instanceof ExactNumber ? value.toNumber() : Number(value);
}

function checkSampleSetNames(document: Raw, problems: ProblemList): void {
  const names = new Map<string, Place>();
  for (const { raw, place } of entriesOf(document, "sampleSets")) {
    const { name } = raw;
    if (typeof name !== "string") {
      continue;
    }
    const folded = foldCase(name);
    const first = names.get(folded);
    if (first === undefined) {
      names.set(folded, place);
    } else {
      problems.add(
        "duplicate_name",
        within(place, "name"),
        `Is also the name of ${pathOf(first)}. Choose another; letter case makes no difference.`,
      );
    }
  }
}
