import type { Properties } from "./document-form.ts";

export type SheetTarget = "page" | "master" | "sample_set";

/**
 * One edit of a draft, its ids and its envelope read (docs/contract/templates.md#edits). `properties` are what is left
 * of the body, in snake_case. `index` counts from 0, from the back to the front; left out, it is the last.
 */
export type EditCommand =
  | {
      readonly kind: "create";
      readonly target: SheetTarget;
      readonly index?: number | undefined;
      readonly properties: Properties;
    }
  | {
      readonly kind: "change";
      readonly target: SheetTarget;
      readonly id: string;
      readonly index?: number | undefined;
      readonly properties: Properties;
    }
  | { readonly kind: "remove"; readonly target: SheetTarget | "element"; readonly id: string }
  | {
      readonly kind: "create_element";
      /** A page or a master page. */
      readonly pageId: string;
      readonly parentId?: string | null | undefined;
      readonly index?: number | undefined;
      readonly properties: Properties;
    }
  | {
      /** An element that the service made, in the document's own form. */
      readonly kind: "insert_element";
      readonly pageId: string;
      readonly parentId?: string | null | undefined;
      readonly element: Properties;
    }
  | {
      readonly kind: "change_element";
      readonly id: string;
      /** Moves the element; its numbers stay. */
      readonly pageId?: string | undefined;
      /** Null is the top level of the page. */
      readonly parentId?: string | null | undefined;
      readonly index?: number | undefined;
      readonly properties: Properties;
    };
