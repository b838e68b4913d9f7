/** [E32] A run keeps the references that its submit resolved, whatever is stored later. */
import { fingerprintOf } from "../../../durable-objects/run/state/stored-plan.ts";
import type { RunMetadata } from "../../../durable-objects/run/live-run.ts";
import { planOf } from "../../../durable-objects/run/wake-run.ts";
import { parseDefinition } from "../../../src/contracts/workflows/parse-definition.ts";
import { runReferences } from "../../../src/domain/references/run-references.ts";
import {
  type CompiledVersion,
  compileVersion,
} from "../../../src/domain/workflows/versions/compiled-versions.ts";
import { References, referencesIn } from "../../../src/engine/compile/references.ts";
import { findWithForms, formDefinition, type Form, formStore } from "../../support/references.ts";

const KEY = { workspaceId: "w", workflowId: "wf", version: 1 };
const form = (milliCredits: number): Form => ({ fields: { name: "text" }, milliCredits });

/**
 * Returns the problem; undefined if there is none. Called from the build of `planted-faults.test.ts`.
 * @public
 */
export async function keepReferences(): Promise<string | undefined> {
  const forms = { badge: [form(30)], card: [form(5)] };
  const { resolve } = formStore(forms);
  const text = JSON.stringify(formDefinition({ form: "badge" }));
  const publish = async (): Promise<CompiledVersion> => {
    const found = await resolve(referencesIn(parseDefinition(text), findWithForms));
    const compiled = compileVersion(KEY, text, new References(found), findWithForms);
    if ("issues" in compiled) {
      throw new Error(JSON.stringify(compiled.issues));
    }
    return compiled.version;
  };
  const planFor = (
    references: RunMetadata["references"],
    overrides: RunMetadata["parameter_overrides"],
  ) =>
    planOf(
      {
        workspace_id: KEY.workspaceId,
        workflow_id: KEY.workflowId,
        workflow_version: KEY.version,
        parameter_overrides: overrides,
        references,
      } as unknown as RunMetadata,
      () => text,
      findWithForms,
    );
  const first = await publish();
  const begun = await runReferences(first, [], resolve, findWithForms);
  const overrides = [{ node_id: "fill", parameter: "form", value_json: '"card"' }];
  const other = await runReferences(first, overrides, resolve, findWithForms);
  forms.badge.push(form(99));
  const second = await publish();
  if (fingerprintOf(first.plan) === fingerprintOf(second.plan)) {
    return "another version of what it refers to has the same fingerprint";
  }
  const cost = planFor(begun, []).nodes[1]?.costMilliCredits;
  if (cost !== 30) {
    return `a run that began at 30 goes on at ${cost}`;
  }
  const set = planFor(other, overrides).nodes[1]?.references?.map(({ id }) => id);
  return set?.join() === "card" ? undefined : `a run that names card has ${set?.join()}`;
}
