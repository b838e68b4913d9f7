/**
 * Removes from the API Worker what only its OpenAPI document and its JSON Schemas show: the Worker reads these documents from
 * its assets (docs/decisions/bundle-size.md).
 */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import MagicString from "magic-string";
import { type CallExpression, type Expression, parseSync, Visitor } from "oxc-parser";

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

/** Applies `removeDocumentation` to the endpoints and the contracts of a bundle. */
export const withoutDocumentation: Plugin = {
  name: "without-documentation",
  setup(builder) {
    builder.onLoad({ filter: /\/src\/(?:api|contracts)\/.*\.ts$/ }, async ({ path }) => ({
      contents: removeDocumentation(path, await readFile(path, "utf8")),
      loader: "ts",
    }));
  },
};

/**
 * Removes calls of `.describe("…")` and the documentation members of `defineEndpoint({…})` from a TypeScript module.
 * Returns the module with an inline source map; unchanged if it has neither. Throws if the module does not parse.
 */
export function removeDocumentation(path: string, source: string): string {
  if (!source.includes(".describe(") && !source.includes("defineEndpoint({")) {
    return source;
  }
  const { program, errors } = parseSync(path, source);
  if (errors[0] !== undefined) {
    throw new Error(`${path}: ${errors[0].message}`);
  }
  const shorter = new MagicString(source);
  new Visitor({
    CallExpression(call) {
      removeDescription(call, shorter);
      removeMembers(call, source, shorter);
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
    if (
      member.type === "Property" &&
      member.key.type === "Identifier" &&
      DOCUMENTATION.has(member.key.name)
    ) {
      const comma = /^\s*,/.exec(source.slice(member.end))?.[0] ?? "";
      to.remove(member.start, member.end + comma.length);
    }
  }
}
