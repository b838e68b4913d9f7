import { z } from "zod";
import { QualityCheck } from "../../contracts/quality-check.ts";
import { QUALITY_POLICY_REF, QualityPolicy } from "../../contracts/quality-policy.ts";
import { AppError } from "../../lib/errors.ts";

/** The structured contracts that something here uses (spec 2 §2.4). */
const SCHEMAS: ReadonlyMap<string, { readonly schema: z.ZodType; readonly title: string }> =
  new Map([
    ["svc.quality-check/v1", { schema: QualityCheck, title: "Quality check" }],
    [QUALITY_POLICY_REF, { schema: QualityPolicy, title: "Quality policy" }],
  ]);

/** Every `schema_ref` that can be read. */
export const SCHEMA_REFS: readonly string[] = [...SCHEMAS.keys()];

/** The JSON Schema of a structured contract. Throws `not_found`. */
export function getJsonSchema(schemaRef: string): Record<string, unknown> {
  const found = SCHEMAS.get(schemaRef);
  if (found === undefined) {
    throw new AppError(
      "not_found",
      `There is no contract "${schemaRef.slice(0, 200)}". There are ${SCHEMA_REFS.join(", ")}.`,
    );
  }
  const { $schema, ...schema } = z.toJSONSchema(found.schema, {
    unrepresentable: "any",
    io: "input",
  });
  return { $schema, $id: `urn:${schemaRef}`, title: found.title, ...schema };
}
