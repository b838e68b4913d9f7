/** JSON Schema keywords whose results or memory in the library are not those of the standard's text. */
import * as Browser from "@hyperjump/browser";
import { addKeyword, type Keyword } from "@hyperjump/json-schema/experimental";
import * as Instance from "@hyperjump/json-schema/instance/experimental";
import { countCharacters } from "../lib/count-characters.ts";
import { ExactDecimal } from "./exact-decimal.ts";

/**
 * The library divides doubles with a tolerance of 1.2e-7: it refuses -0.3 as a multiple of 0.1, and takes any number as one of 1e-8.
 * Here the remainder is computed from the decimals that the doubles are written as, which takes no tolerance.
 */
const multipleOf: Keyword<ExactDecimal> = {
  id: "https://json-schema.org/keyword/multipleOf",
  compile: (schema) => Promise.resolve(new ExactDecimal(Number(Browser.value(schema)))),
  interpret: (step, instance) =>
    Instance.typeOf(instance) !== "number" ||
    new ExactDecimal(Instance.value<number>(instance)).mod(step).isZero(),
};

/** The library makes a list of a text's characters to count them, with 8 bytes and more for each. */
function lengthKeyword(
  name: "maxLength" | "minLength",
  fits: (characters: number, limit: number) => boolean,
): Keyword<number> {
  return {
    id: `https://json-schema.org/keyword/${name}`,
    compile: (schema) => Promise.resolve(Number(Browser.value(schema))),
    interpret: (limit, instance) =>
      Instance.typeOf(instance) !== "string" ||
      fits(countCharacters(Instance.value<string>(instance)), limit),
  };
}

/** Replaces the library's keywords for every dialect. */
export function registerExactKeywords(): void {
  // As in linear-schema-keywords.ts: the library passes the compiled value on as `unknown`.
  addKeyword(multipleOf as Keyword<unknown>);
  addKeyword(lengthKeyword("maxLength", (count, most) => count <= most) as Keyword<unknown>);
  addKeyword(lengthKeyword("minLength", (count, least) => count >= least) as Keyword<unknown>);
}
