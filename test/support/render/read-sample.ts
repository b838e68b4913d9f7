import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type JsonValue, parseJson } from "../../../src/lib/json/exact-json.ts";

/** The sample templates of `samples/templates/`, by name. */
export const SAMPLE_NAMES = [
  "airport-card",
  "brochure",
  "certificate",
  "flyer",
  "invoice",
  "logo",
] as const;

export interface SampleTemplate {
  readonly document: JsonValue;
  readonly sets: readonly {
    readonly name: string;
    readonly values: { [code: string]: JsonValue };
  }[];
}

export function readSample(name: (typeof SAMPLE_NAMES)[number]): SampleTemplate {
  const path = fileURLToPath(
    new URL(`../../../samples/templates/${name}.json`, import.meta.url).href,
  );
  const document = parseJson(readFileSync(path, "utf8"));
  const { sampleSets = [] } = document as unknown as { sampleSets?: SampleTemplate["sets"] };
  return { document, sets: sampleSets };
}
