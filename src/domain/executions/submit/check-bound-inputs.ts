import { compileSchema } from "../../../expressions/json-schema.ts";
import { AppError, type FieldError } from "../../../lib/errors/errors.ts";
import { parseJson } from "../../../lib/json/exact-json.ts";
import { NodeError } from "../../../lib/errors/node-error.ts";
import { partsOfPlan } from "../../workflows/contract/interface-parts.ts";
import type { BoundInputs, InputSubject } from "./bind-inputs.ts";
import { isMediaKind } from "../../../contracts/media/media-kinds.ts";
import type { AppContext } from "../../../platform/context.ts";
import { checkUrl } from "../../../platform/egress/check-url.ts";
import { loopbackExceptions } from "../../../platform/egress/loopback-exceptions.ts";
import { resolvesToPrivate } from "../../../platform/egress/private-name.ts";

/**
 * Enough problems to fix a value; a list of ten thousand rows can break a rule ten thousand times.
 */
const SHOWN_MAX = 20;

/**
 * Maximum number of host names looked up for one submit; those of further hosts are checked when
 * fetched.
 */
const HOSTS_RESOLVED_MAX = 16;

/**
 * Validates the inputs of a submit against the JSON Schemas of its input nodes (parameter
 * `schema`). Throws `validation_error` with a field error for each violation, before anything is
 * created.
 */
export async function checkInputSchemas(
  { plan }: Pick<InputSubject, "plan">,
  bound: Pick<BoundInputs, "inputs">,
): Promise<void> {
  const values = new Map(bound.inputs.map(({ node_id, value_json }) => [node_id, value_json]));
  const errors: FieldError[] = [];
  for (const { nodeId, name, type, params } of partsOfPlan(plan).inputs) {
    const text = values.get(nodeId);
    if (text === undefined) {
      continue;
    }
    for (const { schema } of type.schemas?.(params) ?? []) {
      errors.push(...(await violations(schema, text, name)));
    }
  }
  const [first] = errors;
  if (first !== undefined) {
    const more = errors.length === 1 ? "" : ` (and ${errors.length - 1} more, see errors)`;
    throw new AppError("validation_error", `${first.message}${more}`, {
      errors: errors.slice(0, SHOWN_MAX),
    });
  }
}

async function violations(
  schema: Parameters<typeof compileSchema>[0],
  text: string,
  name: string,
): Promise<FieldError[]> {
  const said = (path: string, message: string): FieldError => ({
    field: `inputs.${name}.value`,
    message: `Input "${name}": ${path === "" ? "the value" : path} ${message}.`,
  });
  try {
    const check = await compileSchema(schema);
    return check(parseJson(text)).map(({ path, message }) => said(path, message));
  } catch (error) {
    if (error instanceof NodeError) {
      return [said("", `cannot be checked: ${error.message.replace(/\.$/, "")}`)];
    }
    throw error;
  }
}

/**
 * Rejects addresses of media inputs that must not be fetched, before the run is created
 * (docs/contract/executions.md#inputs). They and their redirects are checked again when fetched.
 * Throws `validation_error`.
 */
export async function checkMediaAddresses(
  ctx: AppContext,
  { plan }: Pick<InputSubject, "plan">,
  bound: Pick<BoundInputs, "inputs">,
): Promise<void> {
  const values = new Map(bound.inputs.map(({ node_id, value_json }) => [node_id, value_json]));
  const errors: FieldError[] = [];
  const refuse = (name: string, reason: string) => {
    errors.push({
      field: `inputs.${name}.value`,
      message: `Input "${name}": the address must not be fetched, because ${reason}. Send a public https address, or the asset_path of an upload.`,
    });
  };
  /** Names of inputs, by the host of their address. */
  const hosts = new Map<string, { readonly url: URL; readonly names: string[] }>();
  for (const { nodeId, name, type } of partsOfPlan(plan).inputs) {
    const text = isMediaKind(type.inputKind) ? values.get(nodeId) : undefined;
    const address = text === undefined ? undefined : parseJson(text);
    if (typeof address !== "string") {
      continue;
    }
    const checked = checkUrl(address, {
      loopback: loopbackExceptions(ctx.env),
      allowsIpLiterals: true,
    });
    if (!checked.isAllowed) {
      refuse(name, checked.reason);
    } else if (!checked.isLoopback) {
      const { url } = checked;
      const host = hosts.get(url.hostname) ?? { url, names: [] };
      host.names.push(name);
      hosts.set(url.hostname, host);
    }
  }
  await Promise.all(
    [...hosts.values()].slice(0, HOSTS_RESOLVED_MAX).map(async ({ url, names }) => {
      if (await resolvesToPrivate(ctx.env, url, fetch)) {
        for (const name of names) {
          refuse(name, "its name resolves to an address that is not public");
        }
      }
    }),
  );
  const [first] = errors;
  if (first !== undefined) {
    throw new AppError("validation_error", first.message, { errors });
  }
}
