import type { DesignDocument } from "../../templates/document/design-document.ts";
import type { DesignElement } from "../../templates/document/elements.ts";
import type { JsonValue } from "../../lib/exact-json.ts";

interface ContractField {
  readonly code: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly default: JsonValue;
  readonly description: string;
  readonly format: unknown;
  readonly item_keys?: readonly ContractField[];
}

/** The pages and fields of a document, as its contract has them; fields in the order of their first occurrence. */
export function contractOf(document: DesignDocument) {
  const components = new Map(
    document.components.map(({ id, elements }) => [id.toLowerCase(), elements]),
  );
  const fieldsIn = (elements: readonly DesignElement[], found: Map<string, ContractField>) => {
    for (const element of elements) {
      const { placeholder } = element;
      const rows = new Map<string, ContractField>();
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
          ...(element.$type === "repeat_region" && { item_keys: [...rows.values()] }),
        });
      }
    }
  };
  const fields = new Map<string, ContractField>();
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
