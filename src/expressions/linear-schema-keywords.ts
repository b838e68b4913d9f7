/**
 * The three JSON Schema keywords with regular expressions, on an engine whose time is linear in the
 * text. The library uses RegExp, where one pattern can take minutes on 30 characters.
 */
import * as Browser from "@hyperjump/browser";
import {
  addKeyword,
  getKeywordName,
  type Keyword,
  type SchemaDocument,
  Validation,
  type ValidationContext,
} from "@hyperjump/json-schema/experimental";
import * as Instance from "@hyperjump/json-schema/instance/experimental";
import { linearRegex } from "./linear-regex.ts";

type Pattern = ReturnType<typeof linearRegex>;
type Schema = Browser.Browser<SchemaDocument>;

/** `unevaluatedProperties` reads the evaluated property names from here. */
interface EvaluationContext extends ValidationContext {
  readonly evaluatedProperties?: Set<string>;
}

const pattern: Keyword<Pattern> = {
  id: "https://json-schema.org/keyword/pattern",
  compile: (schema) => Promise.resolve(linearRegex(String(Browser.value(schema)))),
  interpret: (compiled, instance) =>
    Instance.typeOf(instance) !== "string" || compiled.test(Instance.value<string>(instance)),
};

const patternProperties: Keyword<readonly (readonly [Pattern, string])[], EvaluationContext> = {
  id: "https://json-schema.org/keyword/patternProperties",
  simpleApplicator: true,
  async compile(schema, ast) {
    const compiled: (readonly [Pattern, string])[] = [];
    for await (const [source, property] of Browser.entries(schema)) {
      compiled.push([
        linearRegex(source),
        await Validation.compile(property as Schema, ast, schema),
      ]);
    }
    return compiled;
  },
  interpret(compiled, instance, context) {
    if (Instance.typeOf(instance) !== "object") {
      return true;
    }
    let isValid = true;
    for (const [matcher, schema] of compiled) {
      for (const [nameNode, property] of Instance.entries(instance)) {
        const name = Instance.value<string>(nameNode);
        if (matcher.test(name)) {
          isValid = Validation.interpret(schema, property, context) && isValid;
          context.evaluatedProperties?.add(name);
        }
      }
    }
    return isValid;
  },
};

interface AdditionalProperties {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly Pattern[];
  readonly schema: string;
}

const additionalProperties: Keyword<AdditionalProperties, EvaluationContext> = {
  id: "https://json-schema.org/keyword/additionalProperties",
  simpleApplicator: true,
  async compile(schema, ast, parent) {
    const sibling = async (name: string): Promise<readonly string[]> => {
      const { dialectId } = schema.document;
      const keyword = getKeywordName(dialectId, `https://json-schema.org/keyword/${name}`);
      const found = await Browser.step(keyword, parent);
      return Browser.typeOf(found) === "object" ? [...Browser.keys(found)] : [];
    };
    return {
      names: new Set(await sibling("properties")),
      patterns: (await sibling("patternProperties")).map((source) => linearRegex(source)),
      schema: await Validation.compile(schema, ast, parent),
    };
  },
  interpret({ names, patterns, schema }, instance, context) {
    if (Instance.typeOf(instance) !== "object") {
      return true;
    }
    let isValid = true;
    for (const [nameNode, property] of Instance.entries(instance)) {
      const name = Instance.value<string>(nameNode);
      if (!names.has(name) && !patterns.some((matcher) => matcher.test(name))) {
        isValid = Validation.interpret(schema, property, context) && isValid;
        context.evaluatedProperties?.add(name);
      }
    }
    return isValid;
  },
};

/** Replaces the library's keywords for every dialect. */
export function registerLinearKeywords(): void {
  // The library keeps what `compile` returned and passes it to `interpret` as `unknown`; each keyword types its own.
  addKeyword(pattern as Keyword<unknown>);
  addKeyword(patternProperties as unknown as Keyword<unknown>);
  addKeyword(additionalProperties as unknown as Keyword<unknown>);
}
