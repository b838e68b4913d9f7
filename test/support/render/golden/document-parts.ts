import * as z from "zod";
import { DesignDocument } from "../../../../src/templates/document/design-document.ts";

type Schema = z.core.$ZodType;

/** Styles state properties of elements, in their own schemas; the elements' properties are rendered. */
const LEFT_OUT = new Set(["TextStyle", "PaintStyle"]);

/**
 * Every property of a design document, as `TextElement.fontSize`, and every value of a property with few values, as
 * `TextElement.fontStyle=italic`. What several elements have in common stands under one of them.
 */
export function allParts(): Set<string> {
  const walk = new Walk();
  walk.all(DesignDocument, "DesignDocument");
  return walk.parts;
}

/** Those that a valid document states. */
export function partsOf(document: unknown): Set<string> {
  const walk = new Walk();
  walk.stated(DesignDocument, document, "DesignDocument");
  return walk.parts;
}

/** The first name of each shared property, by its schema: the same for every walk. */
const FIRST_NAMES = new Map<Schema, Map<string, string>>();

class Walk {
  readonly parts = new Set<string>();
  readonly #seen = new Set<Schema>();

  all(schema: Schema, name: string): void {
    const def = definitionOf(schema);
    switch (def.type) {
      case "object": {
        const own = nameOf(schema) ?? name;
        if (this.#seen.has(schema) || LEFT_OUT.has(own)) {
          return;
        }
        this.#seen.add(schema);
        for (const [key, property] of Object.entries(def.shape)) {
          const part = partName(property, key, own);
          this.parts.add(part);
          this.all(property, part);
        }
        return;
      }
      case "union":
        def.options.forEach((option) => {
          this.all(option, optionName(option, name));
        });
        return;
      case "array":
        this.all(def.element, name);
        return;
      case "enum":
        this.#values(name, Object.values(def.entries));
        return;
      case "lazy":
        // Schemas that hold themselves; some make another inner schema at each call.
        if (!this.#seen.has(schema)) {
          this.#seen.add(schema);
          this.all(def.getter(), nameOf(schema) ?? name);
        }
        return;
      default:
        forInner(def, (inner) => {
          this.all(inner, name);
        });
    }
  }

  stated(schema: Schema, value: unknown, name: string): void {
    const def = definitionOf(schema);
    switch (def.type) {
      case "object": {
        const own = nameOf(schema) ?? name;
        if (LEFT_OUT.has(own)) {
          return;
        }
        for (const [key, stated] of Object.entries(value as object)) {
          const property = def.shape[key];
          if (property !== undefined) {
            const part = partName(property, key, own);
            this.parts.add(part);
            this.stated(property, stated, part);
          }
        }
        return;
      }
      case "union": {
        const option = def.options.find((one) => z.safeParse(one, value).success);
        if (option !== undefined) {
          this.stated(option, value, optionName(option, name));
        }
        return;
      }
      case "array":
        for (const entry of value as readonly unknown[]) {
          this.stated(def.element, entry, name);
        }
        return;
      case "enum":
        this.#values(name, [value as string]);
        return;
      case "lazy":
        this.stated(def.getter(), value, nameOf(schema) ?? name);
        return;
      default:
        if (value !== null) {
          forInner(def, (inner) => {
            this.stated(inner, value, name);
          });
        }
    }
  }

  #values(name: string, values: readonly (string | number)[]): void {
    for (const value of values) {
      this.parts.add(`${name}=${value}`);
    }
  }
}

type Definition = z.core.$ZodTypes["_zod"]["def"];

function definitionOf(schema: Schema): Definition {
  return (schema as z.core.$ZodTypes)._zod.def;
}

function forInner(def: Definition, visit: (inner: Schema) => void): void {
  if (def.type === "default" || def.type === "optional" || def.type === "nullable") {
    visit(def.innerType);
  }
}

function nameOf(schema: Schema): string | undefined {
  return z.globalRegistry.get(schema as z.ZodType)?.id as string | undefined;
}

/** Options without a name of their own are named by what tells them apart. */
function optionName(option: Schema, name: string): string {
  const def = definitionOf(option);
  if (def.type !== "object") {
    return name;
  }
  for (const property of Object.values(def.shape)) {
    const inner = definitionOf(property);
    if (inner.type === "literal") {
      return `${name}(${inner.values.join("|")})`;
    }
  }
  return name;
}

function partName(property: Schema, key: string, owner: string): string {
  let names = FIRST_NAMES.get(property);
  if (names === undefined) {
    names = new Map();
    FIRST_NAMES.set(property, names);
  }
  const known = names.get(key);
  if (known !== undefined) {
    return known;
  }
  const name = `${owner}.${key}`;
  names.set(key, name);
  return name;
}
