import { MEDIA_KINDS } from "../../contracts/media-input.ts";
import { AppError, type FieldError } from "../../lib/errors.ts";
import { parseJson } from "../../lib/exact-json.ts";
import type { AppContext } from "../../platform/context.ts";
import { judgeUrl } from "../../platform/egress/judge-url.ts";
import { loopbackExceptions } from "../../platform/egress/loopback-exceptions.ts";
import { partsOfPlan } from "../workflows/interface-parts.ts";
import type { BoundInputs, InputSubject } from "./bind-inputs.ts";

/**
 * Refuses addresses of media inputs that may not be fetched, before the run is created (docs/contract/executions.md#inputs). They are judged once more where they are fetched, redirects too. Throws `validation_error`.
 */
export function checkMediaAddresses(
  ctx: AppContext,
  { plan }: Pick<InputSubject, "plan">,
  bound: Pick<BoundInputs, "inputs">,
): void {
  const values = new Map(bound.inputs.map(({ node_id, value_json }) => [node_id, value_json]));
  const errors: FieldError[] = [];
  for (const { nodeId, name, type } of partsOfPlan(plan).inputs) {
    const text = Object.hasOwn(MEDIA_KINDS, type.inputKind) ? values.get(nodeId) : undefined;
    const address = text === undefined ? undefined : parseJson(text);
    if (typeof address !== "string") {
      continue;
    }
    const judged = judgeUrl(address, {
      loopback: loopbackExceptions(ctx.env),
      allowsIpLiterals: true,
    });
    if (!judged.isAllowed) {
      errors.push({
        field: `inputs.${name}.value`,
        message: `Input "${name}": the address may not be fetched, since ${judged.reason}. Send a public https address, or the asset_path of an upload.`,
      });
    }
  }
  const [first] = errors;
  if (first !== undefined) {
    throw new AppError("validation_error", first.message, { errors });
  }
}
