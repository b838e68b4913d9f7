/** Definitions of tests, written briefly, and what their runs give. */
import { publish } from "../../../scripts/provision.ts";
import {
  type RunResult,
  type SubmitBody,
  submitRun,
  waitForRun,
} from "../../../scripts/run-workflow.ts";
import type { Execution } from "../../../src/contracts/runs/run.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { contractsOfOutputs } from "../results/contract-faults.ts";
import { readOutputs, servedCheck } from "./read-outputs.ts";
import type { SharedService } from "./shared-service.ts";

export const node = (id: string, type: string, parameters: unknown = {}) => ({
  id,
  type,
  label: id,
  parameters,
});

/** A connection from `node.port` to `node.port`. */
export const wire = (from: string, to: string) => {
  const [a = "", b = ""] = from.split(".");
  const [c = "", d = ""] = to.split(".");
  return { from: { node: a, port: b }, to: { node: c, port: d } };
};

export interface MediaDefinition {
  readonly nodes: readonly ReturnType<typeof node>[];
  readonly connections: readonly ReturnType<typeof wire>[];
}

export interface MediaRun {
  readonly execution: Execution;
  /** The value of an output. */
  document(key: string): JsonValue;
  /** The file of an output. */
  file(key: string): Promise<{ readonly name: string; readonly bytes: Buffer }>;
  readonly warnings: RunResult["diagnostics"]["warnings"];
}

/** Publishes a definition. Throws if it has issues, with their codes. */
export async function publishDefinition(
  { client }: SharedService,
  definition: MediaDefinition,
): Promise<string> {
  const workflow = await publish(client, { name: "Test", definition } as never);
  contracts.set(workflow, contractsOfOutputs(definition));
  return workflow;
}

/** The contracts of the outputs of a workflow, by its id. */
const contracts = new Map<string, ReadonlyMap<string, string>>();

/** Runs a workflow to its end. Throws if an output does not meet its contract. */
export async function runPublished(
  { client }: SharedService,
  workflow: string,
  inputs: NonNullable<SubmitBody["inputs"]>,
): Promise<MediaRun> {
  const id = await submitRun(client, { workflow, inputs });
  const execution = await waitForRun(client, id);
  const { result, diagnostics } = await readOutputs(client, id, contracts.get(workflow));
  return {
    execution,
    warnings: diagnostics.warnings,
    document: (key) => result.by_key[key]?.value as JsonValue,
    file: async (key) => {
      const url = result.by_key[key]?.url ?? "";
      const response = await fetch(url);
      return {
        name: new URL(url).pathname.split("/").at(-1) ?? "",
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    },
  };
}

/** Problems of a document by the contract that the service publishes. */
export async function contractProblems(
  { client }: SharedService,
  ref: string,
  document: JsonValue,
): Promise<readonly unknown[]> {
  const check = await servedCheck(client, ref);
  return check(document);
}
