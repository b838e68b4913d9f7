/** The providers of the secret `AI_PROVIDERS` (docs/contract/models.md#providers). */
import { ProviderId, PutProvider } from "../contracts/models/provider.ts";
import { fieldPath } from "../lib/errors/field-path.ts";
import { isJsonObject, type JsonValue } from "../lib/json/exact-json.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import { checkBaseUrl, providerLoopback } from "./egress/check-operator-url.ts";
import type { EgressEnv } from "./egress/loopback-exceptions.ts";
import { baseUrlOf, completeModel, isBuiltInSlug, providerProblems } from "./provider-rules.ts";

/** A provider of the deployment's environment. Its `api_key` and the values of its headers are secret. */
export interface EnvironmentProvider extends PutProvider {
  readonly id: string;
  readonly base_url: string | null;
}

export interface EnvironmentProvidersEnv extends EgressEnv {
  readonly AI_PROVIDERS?: string;
}

/** A rule that a member breaks. Neither part contains a value of the secret. */
interface EnvironmentProblem {
  /** `AI_PROVIDERS[0].base_url` */
  readonly member: string;
  readonly rule: string;
}

interface ReadProviders {
  readonly providers: readonly EnvironmentProvider[];
  readonly problems: readonly EnvironmentProblem[];
}

const NAME = "AI_PROVIDERS";
const CHARS_MAX = LIMITS.environment_providers.value;
/** Members whose own members have names that the operator chose. */
const RECORDS: ReadonlySet<PropertyKey> = new Set(["headers", "prices"]);

/** The environment of an isolate does not change, so one is read. */
let known:
  | { readonly text: string; readonly hosts: string; readonly read: ReadProviders }
  | undefined;

/** The providers of the environment by id; empty without the secret, or if it breaks the rules. */
export function environmentProviders(env: EnvironmentProvidersEnv): readonly EnvironmentProvider[] {
  const { providers, problems } = readProviders(env);
  return problems.length === 0 ? providers : [];
}

/** The rules that the secret breaks; a deployment with one does not serve. */
export function environmentProblems(env: EnvironmentProvidersEnv): readonly EnvironmentProblem[] {
  return readProviders(env).problems;
}

function readProviders(env: EnvironmentProvidersEnv): ReadProviders {
  const text = env.AI_PROVIDERS ?? "";
  const loopback = providerLoopback(env);
  const hosts = [...loopback].join();
  if (known?.text !== text || known.hosts !== hosts) {
    known = { text, hosts, read: parseProviders(text, loopback) };
  }
  return known.read;
}

function parseProviders(text: string, loopback: ReadonlySet<string>): ReadProviders {
  if (text.trim() === "") {
    return { providers: [], problems: [] };
  }
  const refuse = (rule: string) => ({ providers: [], problems: [{ member: NAME, rule }] });
  if (text.length > CHARS_MAX) {
    return refuse(
      `must have at most ${CHARS_MAX} characters; store providers with PUT /admin/v1/providers/{id}`,
    );
  }
  let entries: JsonValue;
  try {
    entries = JSON.parse(text) as JsonValue;
  } catch {
    return refuse("must be JSON");
  }
  if (!Array.isArray(entries)) {
    return refuse("must be a JSON array of providers");
  }
  const providers: EnvironmentProvider[] = [];
  const problems: EnvironmentProblem[] = [];
  const slugs = new Set<string>();
  entries.forEach((entry: JsonValue, index) => {
    const at = (path: readonly PropertyKey[], rule: string) => {
      problems.push({ member: fieldPath(NAME, [index, ...path]), rule });
    };
    if (!isJsonObject(entry)) {
      at([], "must be an object");
      return;
    }
    const { id: givenId, ...body } = entry;
    const id = ProviderId.safeParse(givenId);
    const parsed = PutProvider.safeParse(body);
    if (!id.success) {
      at(["id"], "must be a lower-case letter, then up to 39 of a-z, 0-9, _ and -");
    } else if (providers.some((other) => other.id === id.data)) {
      at(["id"], "is the id of an earlier provider");
    }
    for (const { path, code, message } of parsed.error?.issues ?? []) {
      const record = path.findIndex((key) => RECORDS.has(key));
      const shown = record === -1 ? path : path.slice(0, record + 1);
      // The messages of these contain names that the operator wrote.
      at(shown, code === "unrecognized_keys" ? "has an unknown member" : message);
    }
    if (!id.success || !parsed.success) {
      return;
    }
    const provider = parsed.data;
    const before = problems.length;
    for (const { field, message } of providerProblems(id.data, provider)) {
      at([], `${field.split(".", 1)[0]}: ${message}`);
    }
    const baseUrl = baseUrlOf(provider);
    const checked = baseUrl === null ? undefined : checkBaseUrl(baseUrl, loopback);
    if (checked?.isAllowed === false) {
      at(["base_url"], checked.reason);
    }
    provider.models.forEach(({ model }, place) => {
      if (isBuiltInSlug(model) || slugs.has(model)) {
        at(["models", place, "model"], "is the slug of a built-in model or of an earlier provider");
      }
    });
    for (const { model } of provider.models) {
      slugs.add(model);
    }
    if (problems.length === before) {
      providers.push({
        ...provider,
        id: id.data,
        base_url: baseUrl,
        models: provider.models.map(completeModel),
      });
    }
  });
  return { providers: providers.toSorted((a, b) => (a.id < b.id ? -1 : 1)), problems };
}
