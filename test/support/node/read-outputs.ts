/** Results of runs in tests of media nodes: every document among them meets its contract, as the service serves it. */
import type { ApiClient } from "../../../scripts/api-client.ts";
import {
  readResult,
  type ResultGroup,
  type ResultItem,
  type RunResult,
} from "../../../scripts/run-workflow.ts";
import { compileSchema, type SchemaCheck } from "../../../src/expressions/json-schema.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { contractFaults, namedIn } from "../results/contract-faults.ts";

/** The checks of a service, by its address and the contract. */
const served = new Map<string, Promise<SchemaCheck>>();

/** The JSON Schema that the service has for a contract, as a check. */
export function servedCheck(client: ApiClient, ref: string): Promise<SchemaCheck> {
  const key = `${client.baseUrl} ${ref}`;
  const known = served.get(key);
  if (known !== undefined) {
    return known;
  }
  const check = client
    .call<JsonValue>("GET", `/api/v1/json-schemas/${ref}`)
    .then((schema) => compileSchema(schema));
  served.set(key, check);
  return check;
}

/**
 * The result of a run. Throws if a document among its outputs does not meet the contract that it names or that `contracts` has for
 * its key (`contractsOfOutputs`).
 */
export async function readOutputs(
  client: ApiClient,
  runId: string,
  contracts: ReadonlyMap<string, string> = new Map(),
): Promise<RunResult> {
  const read = await readResult(client, runId);
  const faults: string[] = [];
  for (const group of Object.values(read.result.by_key)) {
    // oxlint-disable-next-line no-await-in-loop -- output after output
    for (const value of await valuesOf(group)) {
      // oxlint-disable-next-line no-await-in-loop -- output after output
      const found = await faultsOf(client, value, contracts.get(group.key));
      faults.push(...found.map((fault) => `${group.key}: ${fault}`));
    }
  }
  if (faults.length > 0) {
    throw new Error(`Outputs of ${runId} do not meet their contracts:\n${faults.join("\n")}`);
  }
  return read;
}

async function faultsOf(
  client: ApiClient,
  value: JsonValue,
  ref: string | undefined,
): Promise<readonly string[]> {
  const refs = new Set(namedIn(value).map((named) => named.ref));
  const checks = new Map<string, SchemaCheck>();
  for (const each of refs) {
    // oxlint-disable-next-line no-await-in-loop -- each once for a service
    checks.set(each, await servedCheck(client, each));
  }
  return contractFaults(value, ref, checks);
}

/** Values of an output, from their addresses where they are too large for the result. */
async function valuesOf(group: ResultGroup): Promise<readonly JsonValue[]> {
  const items: readonly Pick<ResultItem, "value" | "url">[] =
    group.cardinality === "single" ? [group] : group.items;
  const values = await Promise.all(items.map(valueOf));
  return values.filter((value) => value !== undefined && value !== null);
}

async function valueOf({
  value,
  url,
}: Pick<ResultItem, "value" | "url">): Promise<JsonValue | undefined> {
  if (value !== undefined && value !== null) {
    return value as JsonValue;
  }
  if (typeof url !== "string" || !new URL(url).pathname.endsWith(".json")) {
    return undefined;
  }
  return (await (await fetch(url)).json()) as JsonValue;
}
