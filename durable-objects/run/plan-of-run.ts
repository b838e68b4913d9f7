import {
  compileVersion,
  knownVersion,
} from "../../src/domain/workflows/versions/compiled-versions.ts";
import { overrideParameters } from "../../src/engine/compile/override-parameters.ts";
import type { Compiled, Plan } from "../../src/engine/plan/plan.ts";
import { findNodeType } from "../../src/nodes/registry.ts";
import type { RunFacts } from "./live-run.ts";

/**
 * The plan of a run under this code: its version's, compiled once an isolate, with what the run's
 * interface sets on parameters laid over it. Throws where the definition does not compile.
 */
export function planOf(facts: RunFacts, definitionJson: () => string): Plan {
  const key = {
    workspaceId: facts.workspace_id,
    workflowId: facts.workflow_id,
    version: facts.workflow_version,
  };
  const known = knownVersion(key);
  const compiled = known === undefined ? compileVersion(key, definitionJson()) : { version: known };
  if ("issues" in compiled) {
    throw doesNotCompile(compiled.issues);
  }
  const { definition, plan } = compiled.version;
  const given = overrideParameters(definition, plan, facts.parameter_overrides, findNodeType);
  if (given.plan === undefined) {
    throw doesNotCompile(given.issues);
  }
  return given.plan;
}

function doesNotCompile(issues: Compiled["issues"]): Error {
  return new Error(`published version does not compile: ${JSON.stringify(issues[0])}`);
}
