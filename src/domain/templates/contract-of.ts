import type { DesignDocument } from "../../templates/document/design-document.ts";
import type { DesignElement } from "../../templates/document/elements.ts";
import type { ReferencedField } from "../../contracts/template-reference.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import type { JsonValue } from "../../lib/exact-json.ts";
import { sha256Hex } from "../../lib/sha256.ts";

export interface StoredField {
  readonly code: string;
  readonly name: string;
  readonly type: ReferencedField["type"];
  readonly required: boolean;
  readonly default: JsonValue;
  readonly description: string;
  readonly format: unknown;
  /** Of a list: the fewest items that a region of it prints. Not shown. */
  readonly items_max: number | null;
  readonly item_keys?: readonly StoredField[];
}

/** The pages and fields of a document, as its contract has them; fields in the order of their first occurrence. */
export function contractOf(document: DesignDocument) {
  const components = new Map(
    document.components.map(({ id, elements }) => [id.toLowerCase(), elements]),
  );
  const fieldsIn = (elements: readonly DesignElement[], found: Map<string, StoredField>) => {
    for (const element of elements) {
      const { placeholder } = element;
      const rows = new Map<string, StoredField>();
      if (element.$type === "repeat_region") {
        fieldsIn([...element.header, ...element.children], rows);
      } else if ("children" in element) {
        fieldsIn(element.children, found);
      } else if (element.$type === "component_instance") {
        fieldsIn(components.get(element.componentId.toLowerCase()) ?? [], found);
      }
      if (placeholder !== undefined && !found.has(placeholder.code)) {
        found.set(placeholder.code, {
          code: placeholder.code,
          name: placeholder.name,
          type: placeholder.placeholderType,
          required: placeholder.required,
          default: placeholder.defaultValue ?? (placeholder.required ? null : ownContent(element)),
          description: placeholder.description,
          format: ("format" in placeholder ? placeholder.format : undefined) ?? null,
          items_max: element.$type === "repeat_region" ? element.maxItems : null,
          ...(element.$type === "repeat_region" && { item_keys: [...rows.values()] }),
        });
      }
    }
  };
  const fields = new Map<string, StoredField>();
  for (const { elements } of document.pages) {
    fieldsIn(elements, fields);
  }
  return {
    page_count: document.pages.length,
    pages: document.pages.map(({ id, name, width, height, fitHeight }) => ({
      id,
      name,
      width,
      height,
      fit_height: fitHeight,
    })),
    fields: [...fields.values()],
  };
}

/** A stored contract as it is served and hashed: without what only comparisons need. */
export function shownContract({ page_count, pages, fields }: ReturnType<typeof contractOf>) {
  return { page_count, pages, fields: fields.map((field) => shownField(field)) };
}

/** Hex digest of the canonical JSON of a contract as it is shown. */
export async function contractHash(contract: ReturnType<typeof contractOf>): Promise<string> {
  return await sha256Hex(canonicalJson(shownContract(contract) as unknown as JsonValue));
}

function shownField({ items_max: _itemsMax, item_keys, ...field }: StoredField): object {
  return {
    ...field,
    ...(item_keys !== undefined && { item_keys: item_keys.map((key) => shownField(key)) }),
  };
}

/** What an element prints where its field is not given. */
function ownContent(element: DesignElement): JsonValue {
  switch (element.$type) {
    case "text":
      return element.text ?? null;
    case "image":
      return element.src ?? null;
    default:
      return null;
  }
}
