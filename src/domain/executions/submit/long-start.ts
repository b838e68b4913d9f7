import {
  ADMITTED_START_MAX_BYTES,
  type AdmitRun,
  type AdmittedStart,
} from "../../../contracts/workspaces/admission.ts";
import { newFileToken } from "../../../platform/file-token.ts";

/** Parts of a start that can be long: a caller's values, or a large definition. */
const VALUES = [
  "inputs",
  "input_files",
  "parameter_overrides",
  "output_node_ids",
  "prepaid",
  "unit_costs",
  "references",
  "retry",
  "dropped_inputs",
  "definition_json",
] as const satisfies (keyof AdmittedStart)[];

/**
 * The start for the workspace object: unchanged if it is short, else with its values in the file
 * store, where they are written before the run is admitted. They stay until the run object has
 * them.
 */
export async function shortenStart<T extends AdmitRun["start"]>(
  files: Pick<R2Bucket, "put">,
  start: T,
): Promise<T & Pick<AdmittedStart, "values_key">> {
  // A UTF-16 unit is at most three bytes of UTF-8, so short starts are not counted exactly.
  const text = JSON.stringify(start);
  if (
    text.length * 3 <= ADMITTED_START_MAX_BYTES ||
    new TextEncoder().encode(text).byteLength <= ADMITTED_START_MAX_BYTES
  ) {
    return start;
  }
  const values = Object.fromEntries(VALUES.map((name) => [name, start[name]]));
  const key = `${start.workspace_id}/runs/${start.run_id}/${newFileToken()}/start.json`;
  await files.put(key, JSON.stringify(values), {
    httpMetadata: { contentType: "application/json" },
  });
  const {
    input_files: _files,
    unit_costs: _costs,
    references: _references,
    retry: _retry,
    dropped_inputs: _dropped,
    definition_json: _definition,
    ...rest
  } = start;
  const none = { inputs: [], parameter_overrides: [], output_node_ids: null, prepaid: [] };
  // TypeScript does not conclude T from its members without three and with new values of four.
  return { ...rest, ...none, values_key: key } as unknown as T & Pick<AdmittedStart, "values_key">;
}

/** The original start of `shortenStart`. Throws if its values are missing. */
export async function restoreStart(
  files: Pick<R2Bucket, "get">,
  start: AdmittedStart,
): Promise<AdmittedStart> {
  const { values_key: key, ...rest } = start;
  if (key === undefined) {
    return start;
  }
  const stored = await files.get(key);
  if (stored === null) {
    throw new Error("The values of an admitted start are not in the store.");
  }
  return { ...rest, ...(await stored.json<Partial<AdmittedStart>>()) };
}
