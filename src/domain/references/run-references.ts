import type { ResolvedReference, ResolveReferences } from "../../contracts/references.ts";
import { overrideParameters, withOverrides } from "../../engine/compile/override-parameters.ts";
import type { FindNodeType } from "../../engine/compile/read-nodes.ts";
import { References, referencesIn } from "../../engine/compile/references.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { findNodeType } from "../../nodes/registry.ts";
import type { BoundInputs } from "../executions/submit/bind-inputs.ts";
import type { CompiledVersion } from "../workflows/versions/compiled-versions.ts";
import { definitionProblem } from "../workflows/definition/definition-problem.ts";

/**
 * The references of a run of this version with the parameters of its submit: those of the version,
 * and the additional ones in the new parameters. Throws `validation_error` if a parameter's
 * reference does not exist or does not fit.
 */
export async function runReferences(
  loaded: CompiledVersion,
  overrides: BoundInputs["parameter_overrides"],
  resolve: ResolveReferences,
  find: FindNodeType = findNodeType,
): Promise<readonly ResolvedReference[]> {
  const { definition, plan, references } = loaded;
  const refers = ({ node_id }: { readonly node_id: string }) =>
    plan.nodes.some(({ id, type }) => id === node_id && type.references !== undefined);
  if (!overrides.some(refers)) {
    return references.list;
  }
  const known = referencesIn(withOverrides(definition, overrides), find);
  const fresh = known.filter((reference) => references.find(reference) === undefined);
  const all = [...references.list, ...(await resolve(fresh))];
  const { issues } = overrideParameters(definition, plan, overrides, find, new References(all));
  const [first] = issues;
  if (first !== undefined) {
    throw new AppError("validation_error", `${first.path}: ${first.message}`, {
      errors: issues.map((issue) => definitionProblem(issue)),
    });
  }
  return all;
}
