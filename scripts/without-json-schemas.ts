/**
 * Removes from the API Worker the code of zod that makes JSON Schemas, 5 kB compressed: the Worker reads schemas from its assets
 * (docs/decisions/bundle-size.md), and calls none of it. A call throws.
 */
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import MagicString from "magic-string";
import { parseSync } from "oxc-parser";

const ABSENT = "__noJsonSchemas";
const PRELUDE = `const ${ABSENT} = () => { throw new Error("The Worker makes no JSON Schemas."); };\n`;

/** Applies `removeJsonSchemas` to the two modules of zod that make them. */
export const withoutJsonSchemas: Plugin = {
  name: "without-json-schemas",
  setup(builder) {
    builder.onLoad(
      { filter: /[/\\]zod[/\\]v4[/\\]core[/\\](?:json-schema-processors|to-json-schema)\.js$/ },
      async ({ path }) => ({
        contents: removeJsonSchemas(path, await readFile(path, "utf8")),
        loader: "js",
      }),
    );
  },
};

/**
 * Replaces each function that a module of zod exports by one that throws, except `aggregateChecks`, which schemas call for their
 * limits. Throws if the module does not parse, or exports no function.
 */
export function removeJsonSchemas(path: string, source: string): string {
  const { program, errors } = parseSync(path, source);
  if (errors[0] !== undefined) {
    throw new Error(`${path}: ${errors[0].message}`);
  }
  const shorter = new MagicString(source);
  let removed = 0;
  for (const statement of program.body) {
    const declared =
      statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type === "FunctionDeclaration" && declared.id !== null) {
      const { name } = declared.id;
      if (name !== "aggregateChecks" && statement.type === "ExportNamedDeclaration") {
        shorter.overwrite(statement.start, statement.end, `export const ${name} = ${ABSENT};`);
        removed += 1;
      } else if (name === "processSchema") {
        shorter.overwrite(statement.start, statement.end, `const ${name} = ${ABSENT};`);
        removed += 1;
      }
    } else if (
      declared?.type === "VariableDeclaration" &&
      statement.type === "ExportNamedDeclaration"
    ) {
      for (const { init } of declared.declarations) {
        if (init !== null) {
          shorter.overwrite(init.start, init.end, ABSENT);
          removed += 1;
        }
      }
    }
  }
  if (removed === 0) {
    throw new Error(`${path} exports nothing that makes JSON Schemas: zod has changed.`);
  }
  return PRELUDE + shorter.toString();
}
