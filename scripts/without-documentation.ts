/**
 * Removes from the API Worker what only its OpenAPI document and its JSON Schemas show: the Worker reads these documents from
 * its assets (docs/decisions/bundle-size.md).
 */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import MagicString from "magic-string";
import {
  type CallExpression,
  type Expression,
  type ObjectExpression,
  type ObjectProperty,
  type ObjectPropertyKind,
  parseSync,
  Visitor,
} from "oxc-parser";

/** Members of `defineEndpoint({…})` that no request needs (src/api/endpoint-declaration.ts). */
const DOCUMENTATION: ReadonlySet<string> = new Set([
  "summary",
  "description",
  "tag",
  "responses",
  "errors",
  "errorStatuses",
  "example",
  "exampleOf",
]);

/** Texts of nodes and their parameters that only the catalog shows, which the assets have (`node-types.json`). */
const TEXTS_OF_NODES: ReadonlySet<string> = new Set(["description", "whenToUse"]);

/** Applies `removeDocumentation` to the endpoints, the contracts and the nodes of a bundle. */
export const withoutDocumentation: Plugin = {
  name: "without-documentation",
  setup(builder) {
    builder.onLoad({ filter: /\/src\/(?:api|contracts|nodes)\/.*\.ts$/ }, async ({ path }) => ({
      contents: removeDocumentation(path, await readFile(path, "utf8")),
      loader: "ts",
    }));
  },
};

/**
 * Removes from a TypeScript module calls of `.describe("…")`, the documentation members of `defineEndpoint({…})`, the descriptions
 * in `.meta({…})`, and in `src/nodes` every description that is a text. Returns the module with an inline source map; unchanged if
 * it has none of them. Throws if the module does not parse.
 */
export function removeDocumentation(path: string, source: string): string {
  if (!/\.describe\(|defineEndpoint\(\{|\b(?:description|whenToUse):/.test(source)) {
    return source;
  }
  const isNode = /\/src\/nodes\//.test(path);
  const { program, errors } = parseSync(path, source);
  if (errors[0] !== undefined) {
    throw new Error(`${path}: ${errors[0].message}`);
  }
  const shorter = new MagicString(source);
  new Visitor({
    CallExpression(call) {
      removeDescription(call, shorter);
      removeMembers(call, source, shorter);
      if (!isNode) {
        removeMetaTexts(call, source, shorter);
      }
    },
    ObjectExpression(object) {
      if (isNode) {
        removeTexts(object, source, shorter);
      }
    },
  }).visit(program);
  const map = shorter.generateMap({ source: path, hires: "boundary" }).toUrl();
  return `${shorter.toString()}\n//# sourceMappingURL=${map}\n`;
}

function removeDescription(
  { callee, arguments: [text, more], end }: CallExpression,
  to: MagicString,
) {
  const isDescription =
    callee.type === "MemberExpression" &&
    callee.property.type === "Identifier" &&
    callee.property.name === "describe" &&
    more === undefined &&
    text !== undefined &&
    text.type !== "SpreadElement" &&
    isText(text);
  if (isDescription) {
    to.remove(callee.object.end, end);
  }
}

/** Whether the expression is a text and has no effect: literals, templates, their sums. */
function isText(expression: Expression): boolean {
  switch (expression.type) {
    case "Literal":
    case "TemplateLiteral":
      return true;
    case "BinaryExpression":
      return (
        expression.left.type !== "PrivateIdentifier" &&
        isText(expression.left) &&
        isText(expression.right)
      );
    default:
      return false;
  }
}

function removeMembers(
  { callee, arguments: [declaration] }: CallExpression,
  source: string,
  to: MagicString,
) {
  if (
    callee.type !== "Identifier" ||
    callee.name !== "defineEndpoint" ||
    declaration?.type !== "ObjectExpression"
  ) {
    return;
  }
  for (const member of declaration.properties) {
    if (isNamed(member, DOCUMENTATION)) {
      removeMember(member, source, to);
    }
  }
}

function removeMetaTexts(
  { callee, arguments: [entries] }: CallExpression,
  source: string,
  to: MagicString,
) {
  if (
    callee.type === "MemberExpression" &&
    callee.property.type === "Identifier" &&
    callee.property.name === "meta" &&
    entries?.type === "ObjectExpression"
  ) {
    removeTexts(entries, source, to);
  }
}

function removeTexts({ properties }: ObjectExpression, source: string, to: MagicString) {
  for (const member of properties) {
    if (isNamed(member, TEXTS_OF_NODES) && isText(member.value)) {
      removeMember(member, source, to);
    }
  }
}

function isNamed(member: ObjectPropertyKind, names: ReadonlySet<string>): member is ObjectProperty {
  return (
    member.type === "Property" && member.key.type === "Identifier" && names.has(member.key.name)
  );
}

function removeMember({ start, end }: ObjectProperty, source: string, to: MagicString) {
  const comma = /^\s*,/.exec(source.slice(end))?.[0] ?? "";
  to.remove(start, end + comma.length);
}
