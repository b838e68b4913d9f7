/** Checks responses against the OpenAPI document that the service itself serves. Works in Node and in workerd. */
import { registerSchema, unregisterSchema } from "@hyperjump/json-schema/draft-2020-12";
import {
  BasicOutputPlugin,
  compile,
  type CompiledSchema,
  getSchema,
  interpret,
} from "@hyperjump/json-schema/experimental";
import * as Instance from "@hyperjump/json-schema/instance/experimental";
import { registerLinearKeywords } from "../../../src/expressions/linear-schema-keywords.ts";

// The library keeps the compiled schemas of the dialects, which `compileSchema` also uses in processes that run both: the
// keywords must be the same before the first schema is compiled.
registerLinearKeywords();

// oxlint-disable-next-line typescript/no-explicit-any -- a JSON document that is walked
type Json = any;

export interface Exchange {
  readonly method: string;
  /** With or without origin and query. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Verdict {
  /** `operationId status` or `operationId status code`; undefined if the document has no such route. */
  readonly pair: string | undefined;
  /** Problems of the response; empty if it matches the document. */
  readonly problems: readonly string[];
}

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const PROBLEM = { $ref: "#/components/schemas/Problem" };
const RESPONSES_KEPT_MAX = 100;
let serial = 0;

export class ServedDocument {
  readonly #paths: readonly { pattern: RegExp; literals: number; item: Json }[];
  readonly #uri = `https://answers.invalid/${(serial += 1)}`;
  readonly #components: Json;
  readonly #right = new Set<string>();
  readonly #compiled = new Map<string, Promise<CompiledSchema>>();

  constructor(document: Json) {
    this.#components = document.components.schemas;
    this.#paths = Object.entries<Json>(document.paths)
      .map(([path, item]) => ({
        pattern: patternOf(path),
        literals: path.replaceAll(/\{\w+\}/g, "").length,
        item,
      }))
      // `/workflows/validate` before `/workflows/{id}`.
      .toSorted((a, b) => b.literals - a.literals);
  }

  async check(exchange: Exchange): Promise<Verdict> {
    const path = new URL(exchange.url, "http://any").pathname;
    const method = exchange.method.toLowerCase();
    const found = this.#paths.find(({ pattern, item }) => pattern.test(path) && item[method]);
    if (found === undefined) {
      return { pair: undefined, problems: [] };
    }
    const operation = found.item[method];
    const { status } = exchange;
    const said: Json = operation.responses[String(status)] ?? operation.responses["default"];
    const where = `${operation.operationId} ${status}`;
    if (said === undefined) {
      return {
        pair: where,
        problems: [`${where} is not documented: ${exchange.text.slice(0, 300)}`],
      };
    }
    const problems: string[] = [];
    if (exchange.headers.get("x-correlation-id") === null) {
      problems.push(`${where} has no X-Correlation-ID`);
    }
    const type = (exchange.headers.get("content-type") ?? "").split(";")[0]!.trim();
    const content: Json = said.content ?? {};
    if (Object.keys(content).length === 0) {
      if (exchange.text !== "") {
        problems.push(`${where} is documented without a body and has one`);
      }
      return { pair: where, problems };
    }
    const media = content[type] ?? content["application/octet-stream"];
    if (media === undefined) {
      problems.push(`${where} is "${type}", documented are ${Object.keys(content).join(", ")}`);
      return { pair: where, problems };
    }
    if (!type.endsWith("json")) {
      return { pair: where, problems };
    }
    return this.#checkJson(where, type, media.schema, exchange.text, problems);
  }

  async #checkJson(
    where: string,
    type: string,
    schema: Json,
    text: string,
    problems: string[],
  ): Promise<Verdict> {
    const body: Json = JSON.parse(text);
    if (type !== "application/problem+json") {
      // Catalogs and this document are long and requested repeatedly.
      const seen = `${where}\n${text}`;
      if (!this.#right.has(seen)) {
        problems.push(...(await this.#violations(`${where} ${type}`, schema, body)));
        if (problems.length === 0 && this.#right.size < RESPONSES_KEPT_MAX) {
          this.#right.add(seen);
        }
      }
      return { pair: where, problems };
    }
    // All problems have one form, compiled once; only the allowed codes of a route differ.
    problems.push(...(await this.#violations("a problem", PROBLEM, body)));
    const codes: unknown[] | undefined = schema.allOf?.[1]?.properties?.code?.enum;
    if (codes !== undefined && !codes.includes(body.code)) {
      problems.push(`${where} says ${body.code}, documented are ${codes.join(", ")}`);
    }
    return { pair: `${where} ${body.code}`, problems };
  }

  async #violations(name: string, schema: Json, body: Json): Promise<string[]> {
    let compiled = this.#compiled.get(name);
    if (compiled === undefined) {
      compiled = this.#compile(schema);
      this.#compiled.set(name, compiled);
    }
    const errors = new BasicOutputPlugin();
    const { valid } = interpret(await compiled, Instance.fromJs(body), {
      outputFormat: "FLAG",
      plugins: [errors],
    });
    return valid
      ? []
      : errors.errors.map(
          ({ keyword, instanceLocation }) =>
            `${name}: ${instanceLocation} breaks ${keyword.split("/").at(-1)}`,
        );
  }

  async #compile(schema: Json): Promise<CompiledSchema> {
    const uri = `${this.#uri}/${this.#compiled.size}`;
    const components: Json = { schemas: this.#reachableFrom(schema) };
    registerSchema({ ...schema, components } as Json, uri, DIALECT);
    try {
      return await compile(await getSchema(uri));
    } finally {
      unregisterSchema(uri);
    }
  }

  /** Otherwise the whole document would be read for each schema. */
  #reachableFrom(schema: Json): Json {
    const found = new Set(refsIn(schema));
    for (const name of found) {
      for (const further of refsIn(this.#components[name])) {
        found.add(further); // iterating a set includes items added meanwhile
      }
    }
    return Object.fromEntries([...found].map((name) => [name, this.#components[name]]));
  }
}

function refsIn(schema: Json): string[] {
  const refs = JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  return [...refs].map(([, name]) => name!);
}

/** Parameters that are written with their slashes. */
const SLASHED = new Set(["key", "schema_ref"]);

function patternOf(path: string): RegExp {
  const source = path
    .replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\{(\w+)\}/g, (_, name) => (SLASHED.has(name) ? ".+" : "[^/]+"));
  return new RegExp(`^${source}$`);
}
