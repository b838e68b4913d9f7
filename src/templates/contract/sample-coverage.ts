import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import type { Condition } from "../document/condition.ts";
import { overridesOf, type Override } from "../document/component-overrides.ts";
import type { DesignDocumentInput } from "../document/design-document.ts";
import { elementsOf, ElementView } from "../document/element-view.ts";
import type { FieldType } from "../document/field.ts";
import type { FieldSpec } from "../document/field-tree.ts";
import { pathOf, type Place } from "../document/place.ts";
import { References } from "../document/references.ts";
import { checkValues, type Values } from "../values/check-values.ts";
import { isTrue } from "../values/evaluate-condition.ts";

/** A warning of a template's readiness (docs/contract/templates.md#revisions). */
export interface CoverageCheck {
  readonly code:
    | "no_sample_sets"
    | "required_field_not_exercised"
    | "field_not_exercised"
    | "condition_not_exercised"
    | "list_not_exercised"
    | "sample_value_unknown";
  readonly severity: "warning";
  readonly message: string;
  readonly suggested_action: string;
  readonly page_id?: string;
  readonly element_id?: string;
  readonly field?: string;
  readonly sample_set_id?: string;
}

/** Elements visited in all sample sets together; beyond, what was not seen is not reported. */
const VISITS_MAX = 200_000;

/**
 * What the sample sets of a valid document leave out: fields that none gives, conditions that are never true or never
 * false, lists that are never empty or never longer than one item, and values for no field. Nothing is rendered.
 */
export function sampleCoverage(
  document: DesignDocumentInput,
  fields: ReadonlyMap<string, FieldSpec>,
): CoverageCheck[] {
  const sets = document.sampleSets ?? [];
  if (sets.length === 0) {
    return [
      {
        code: "no_sample_sets",
        severity: "warning",
        message: "The template has no sample sets, so that its preview shows no values.",
        suggested_action: "Add a sample set.",
      },
    ];
  }
  const sight = new Sight(document, fields);
  const unknown = sets.flatMap(({ id, values }): CoverageCheck[] => {
    const checked = checkValues(fields, values as Values);
    sight.see(checked.values);
    return checked.problems
      .filter(({ kind }) => kind === "unknown")
      .map(({ field, message }) => ({
        code: "sample_value_unknown",
        severity: "warning",
        message: `${field}: ${message}`,
        suggested_action: "Remove the value, or add the field.",
        field: field.replace(/^values\.?/, ""),
        sample_set_id: id,
      }));
  });
  return [...unknown, ...sight.checks()];
}

/** The values that an element sees: those of its item, of the items around it, and of the set. */
interface Scope {
  readonly fields: ReadonlyMap<string, FieldSpec>;
  readonly values: Values;
  readonly outer: Scope | null;
}

interface ConditionSight {
  readonly pageId: string;
  readonly elementId: string;
  isTrue: boolean;
  isFalse: boolean;
}

class Sight {
  readonly #document: { readonly [key: string]: JsonValue };
  readonly #references: References;
  readonly #fields: ReadonlyMap<string, FieldSpec>;
  /** Fields that some set gives. */
  readonly #given = new Set<FieldSpec>();
  readonly #lengths = new Map<FieldSpec, Set<"empty" | "one" | "more">>();
  /** By the path of the condition. */
  readonly #conditions = new Map<string, ConditionSight>();
  #visits = 0;

  constructor(document: DesignDocumentInput, fields: ReadonlyMap<string, FieldSpec>) {
    // A document is JSON; its recursive schema type is too deep for `asJson`.
    this.#document = document as unknown as { readonly [key: string]: JsonValue };
    this.#references = new References(this.#document);
    this.#fields = fields;
  }

  see(values: Values): void {
    const scope = { fields: this.#fields, values, outer: null };
    this.#markGiven(this.#fields, values);
    const pages = { parent: null, key: "pages" };
    for (const { raw, place } of elementsOf(this.#document["pages"], pages)) {
      const id = raw["id"];
      const elements = { parent: place, key: "elements" };
      this.#walk(raw["elements"], elements, scope, typeof id === "string" ? id : "", NO_OVERRIDES);
    }
  }

  checks(): CoverageCheck[] {
    const isCut = this.#visits > VISITS_MAX;
    return [
      ...this.#fieldChecks(this.#fields),
      ...(isCut ? [] : [...this.#listChecks(), ...this.#conditionChecks()]),
    ];
  }

  #markGiven(fields: ReadonlyMap<string, FieldSpec>, values: Values): void {
    for (const [code, value] of Object.entries(values)) {
      const field = fields.get(code);
      if (field === undefined) {
        continue;
      }
      this.#given.add(field);
      if (field.type === "list" && Array.isArray(value)) {
        for (const item of value as readonly JsonValue[]) {
          this.#markGiven(field.items, isJsonObject(item) ? item : {});
        }
      }
    }
  }

  #walk(
    list: JsonValue | undefined,
    place: Place,
    scope: Scope,
    pageId: string,
    overrides: ReadonlyMap<string, Override>,
  ): void {
    for (const { raw, place: at } of elementsOf(list, place)) {
      this.#visits += 1;
      if (this.#visits > VISITS_MAX) {
        return;
      }
      const { id } = raw;
      const own = typeof id === "string" ? overrides.get(id.toLowerCase()) : undefined;
      const element = new ElementView(raw, at, own);
      const condition = element.get("condition");
      if (condition === undefined || this.#holds(element, condition, scope, pageId)) {
        this.#descend(element, scope, pageId, overrides);
      }
    }
  }

  #descend(
    element: ElementView,
    scope: Scope,
    pageId: string,
    overrides: ReadonlyMap<string, Override>,
  ): void {
    const held = (name: "children" | "header", inside: Scope) => {
      this.#walk(element.get(name), element.placeOf(name), inside, pageId, overrides);
    };
    switch (element.type) {
      case "group":
      case "folder":
      case "layout_region":
        held("children", scope);
        break;
      case "repeat_region": {
        held("header", scope);
        const placeholder = element.get("placeholder");
        const code = isJsonObject(placeholder) ? placeholder["code"] : undefined;
        const field = typeof code === "string" ? scope.fields.get(code) : undefined;
        if (field !== undefined) {
          for (const item of this.#itemsOf(field, scope.values)) {
            held("children", { fields: field.items, values: item, outer: scope });
          }
        }
        break;
      }
      case "component_instance": {
        const component = this.#references.component(element.id("componentId") ?? "");
        if (component !== undefined) {
          this.#walk(component.elements, component.place, scope, pageId, overridesOf(element));
        }
        break;
      }
      default:
    }
  }

  #itemsOf(field: FieldSpec, values: Values): readonly Values[] {
    const value = valueIn(field, values);
    const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
    const lengths = this.#lengths.get(field) ?? new Set();
    lengths.add(items.length === 0 ? "empty" : items.length === 1 ? "one" : "more");
    this.#lengths.set(field, lengths);
    return items.slice(0, field.itemsMax).map((item) => (isJsonObject(item) ? item : {}));
  }

  #holds(element: ElementView, condition: JsonValue, scope: Scope, pageId: string): boolean {
    const path = pathOf(element.placeOf("condition"));
    const id = element.get("id");
    const sight = this.#conditions.get(path) ?? {
      pageId,
      elementId: typeof id === "string" ? id : "",
      isTrue: false,
      isFalse: false,
    };
    this.#conditions.set(path, sight);
    const holds = isTrue(condition as Condition, { lookup: (code) => lookup(code, scope) });
    sight.isTrue ||= holds;
    sight.isFalse ||= !holds;
    return holds;
  }

  #fieldChecks(fields: ReadonlyMap<string, FieldSpec>): CoverageCheck[] {
    return [...fields.values()].flatMap((field): CoverageCheck[] => [
      ...(this.#given.has(field)
        ? []
        : [
            {
              code: field.required ? "required_field_not_exercised" : "field_not_exercised",
              severity: "warning",
              message: `No sample set gives the ${field.required ? "required " : ""}field "${field.path}".`,
              suggested_action: "Give it a value in a sample set.",
              field: field.path,
              ...(field.elementIds[0] !== undefined && { element_id: field.elementIds[0] }),
            } as const,
          ]),
      ...this.#fieldChecks(field.items),
    ]);
  }

  #listChecks(): CoverageCheck[] {
    return [...this.#lengths].flatMap(([field, lengths]): CoverageCheck[] => {
      const lacks = [
        ...(lengths.has("empty") ? [] : ["empty"]),
        ...(lengths.has("more") ? [] : ["of more than one item"]),
      ];
      return lacks.length === 0
        ? []
        : [
            {
              code: "list_not_exercised",
              severity: "warning",
              message: `In no sample set is the list "${field.path}" ${lacks.join(", and in none ")}.`,
              suggested_action: "Add a sample set with such a list.",
              field: field.path,
            },
          ];
    });
  }

  #conditionChecks(): CoverageCheck[] {
    return [...this.#conditions.values()].flatMap((sight): CoverageCheck[] =>
      sight.isTrue && sight.isFalse
        ? []
        : [
            {
              code: "condition_not_exercised",
              severity: "warning",
              message: `The condition is ${sight.isTrue ? "true" : "false"} in every sample set.`,
              suggested_action: `Add a sample set in which it is ${sight.isTrue ? "false" : "true"}.`,
              page_id: sight.pageId,
              element_id: sight.elementId,
            },
          ],
    );
  }
}

const NO_OVERRIDES: ReadonlyMap<string, Override> = new Map();

function valueIn(field: FieldSpec, values: Values): JsonValue {
  const given = Object.hasOwn(values, field.code) ? values[field.code] : undefined;
  return given ?? field.defaultValue ?? null;
}

function lookup(
  code: string,
  scope: Scope,
): {
  readonly value: JsonValue;
  readonly field: { readonly placeholderType: FieldType } | undefined;
} {
  for (let at: Scope | null = scope; at !== null; at = at.outer) {
    const field = at.fields.get(code);
    if (field !== undefined) {
      return { value: valueIn(field, at.values), field: { placeholderType: field.type } };
    }
  }
  return { value: null, field: undefined };
}
