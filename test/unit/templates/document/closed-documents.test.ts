/** A design document has no place for properties of one's own: neither here nor by the schema that is served. */
import { expect, test } from "vitest";
import { listJsonSchemas } from "../../../../src/domain/catalog/json-schemas.ts";
import { validateDocument } from "../../../../src/templates/document/validate-document.ts";
import { fullDocumentOfTwoPages } from "../../../support/templates/full-document.ts";

type Node = { [key: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every object of a JSON value with its path, the value itself first. */
function* objectsIn(value: unknown, path: string): Generator<readonly [string, Node]> {
  if (isNode(value)) {
    yield [path, value];
    for (const [key, child] of Object.entries(value)) {
      yield* objectsIn(child, path === "" ? key : `${path}.${key}`);
    }
  } else if (Array.isArray(value)) {
    for (const [index, child] of value.entries()) {
      yield* objectsIn(child, `${path}[${index}]`);
    }
  }
}

/** Their keys are the author's: values by field code, colors, OpenType tags. */
const OPEN = /\.(?:values|defaultValue|replacements|features)(?:[.[]|$)/;

test("a property that is not known is refused in every object of a document", () => {
  const places = [...objectsIn(fullDocumentOfTwoPages(), "")]
    .map(([path]) => path)
    .filter((path) => !OPEN.test(`.${path}`));
  expect(places.length).toBeGreaterThan(60);
  const accepted = places.filter((place) => {
    const document = fullDocumentOfTwoPages();
    const [, object] = [...objectsIn(document, "")].find(([path]) => path === place)!;
    object["surplus"] = 1;
    const result = validateDocument(document);
    const at = place === "" ? "surplus" : `${place}.surplus`;
    // A condition is refused as a whole.
    return result.ok || !result.problems.some(({ field }) => field === at || field === place);
  });
  expect(accepted).toEqual([]);
});

test("each object of the served schema names all its properties, or has keys that are the author's", () => {
  const open: string[] = [];
  let closed = 0;
  for (const [path, schema] of objectsIn(listJsonSchemas()["svc.design-document/2.0"], "")) {
    if (schema["type"] !== "object") {
      continue;
    }
    if (isNode(schema["properties"]) && schema["additionalProperties"] === false) {
      closed += 1;
    } else {
      open.push(path);
    }
  }
  expect(closed).toBeGreaterThan(40);
  expect(open).toEqual([
    "$defs.TextElement.properties.features",
    "$defs.SvgArtworkElement.properties.replacements",
    // Those of the overridden element's type, which only the check of whole documents knows.
    "$defs.ComponentOverride.properties.properties",
    "$defs.SampleSet.properties.values",
    "$defs.TextStyle.properties.features",
  ]);
});
