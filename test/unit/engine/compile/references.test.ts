/** [E32] Ports, checks, prices and runs that depend on stored references. */
import { afterEach, describe, expect, test } from "vitest";
import { planOf } from "../../../../durable-objects/run/wake-run.ts";
import {
  fingerprintOf,
  storedPlanOf,
  outlineIn,
} from "../../../../durable-objects/run/state/stored-plan.ts";
import type { RunMetadata } from "../../../../durable-objects/run/live-run.ts";
import { parseDefinition } from "../../../../src/contracts/workflows/parse-definition.ts";
import type { ResolveReferences } from "../../../../src/contracts/references.ts";
import { computeAdmission } from "../../../../src/domain/executions/estimate/compute-admission.ts";
import { restoreStart, shortenStart } from "../../../../src/domain/executions/submit/long-start.ts";
import { runReferences } from "../../../../src/domain/references/run-references.ts";
import { resolverOf } from "../../../../src/domain/references/resolve-references.ts";
import { checkWithReferences } from "../../../../src/domain/workflows/definition/check-definition.ts";
import {
  type CompiledVersion,
  compileVersion,
  knownVersion,
} from "../../../../src/domain/workflows/versions/compiled-versions.ts";
import { References, referencesIn } from "../../../../src/engine/compile/references.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { findWithForms, formDefinition, formStore } from "../../../support/references.ts";

const badge = { fields: { name: "text" }, milliCredits: 30 } as const;
const card = { fields: { name: "text", place: "text" }, milliCredits: 70 } as const;

const check = (definition: object, resolve: ResolveReferences) =>
  checkWithReferences(definition as JsonValue, resolve, findWithForms);

const key = { workspaceId: "w", workflowId: "wf", version: 1 };

/** A published version, compiled with the currently stored content. */
async function published(definition: object, resolve: ResolveReferences): Promise<CompiledVersion> {
  const text = JSON.stringify(definition);
  const found = await resolve(referencesIn(parseDefinition(text), findWithForms));
  const compiled = compileVersion(key, text, new References(found), findWithForms);
  if ("issues" in compiled) {
    throw new Error(JSON.stringify(compiled.issues));
  }
  return compiled.version;
}

const setting = (parameter: string, value: unknown) => [
  { node_id: "fill", parameter, value_json: JSON.stringify(value) },
];

const factsOf = (version: CompiledVersion, more: Partial<RunMetadata> = {}) =>
  ({
    workspace_id: key.workspaceId,
    workflow_id: key.workflowId,
    workflow_version: key.version,
    parameter_overrides: [],
    references: version.references.list,
    ...more,
  }) as unknown as RunMetadata;

describe("[E32] a definition with references", () => {
  test("has the ports, the checks and the price of the referenced content", async () => {
    const { resolve, asked } = formStore({ badge: [badge], card: [card] });
    const { plan, errors } = await check(formDefinition({ form: "badge" }), resolve);
    expect(errors).toEqual([]);
    expect(plan!.nodes.map(({ id, costMilliCredits }) => [id, costMilliCredits])).toEqual([
      ["name", 0],
      ["fill", 30],
      ["out", 0],
    ]);
    expect(asked).toEqual(["badge"]);
    const wrong = await check(formDefinition({ form: "card", shout: true }, "nickname"), resolve);
    expect(wrong.errors.map(({ code, path }) => [code, path])).toEqual([
      ["unknown_port", "connections[0].to.port"],
      ["PORT_NOT_CONNECTED", "nodes[1]"],
      ["PORT_NOT_CONNECTED", "nodes[1]"],
      ["INVALID_PARAMETER", "nodes[1].parameters.shout"],
    ]);
  });

  test.each([
    ["is not there", { form: "letter" }],
    ["has no such revision", { form: "badge", revision: "2" }],
  ])("has one problem, at the parameter, if it %s", async (_name, parameters) => {
    const { resolve } = formStore({ badge: [badge] });
    const { plan, errors } = await check(formDefinition(parameters, "anything"), resolve);
    expect(plan).toBeUndefined();
    expect(errors).toMatchObject([
      { code: "REFERENCE_NOT_FOUND", path: "nodes[1].parameters.form", node_id: "fill" },
    ]);
  });

  test("resolves nothing if its parameters are invalid, or no node has a reference", async () => {
    const { resolve, asked } = formStore({ badge: [badge] });
    await check(formDefinition({ form: 7 }), resolve);
    await check({ nodes: [{ id: "a", type: "input/text" }] }, resolve);
    expect(asked).toEqual([]);
  });

  test("calls each kind's resolver once, for its own references; a kind without a resolver has none", async () => {
    const calls: string[][] = [];
    const ctx = { env: {}, principal: {} } as Parameters<typeof resolverOf>[0];
    const resolve = resolverOf(ctx, {
      form: (_ctx, references) => {
        calls.push(references.map(({ id }) => id));
        return Promise.resolve(references.map((one) => ({ ...one, version: "1", content: null })));
      },
    });
    const named = ["form", "form", "constructor"].map((kind, id) => ({
      kind,
      id: `${id}`,
      revision: null,
    }));
    expect((await resolve(named)).map(({ id }) => id)).toEqual(["0", "1"]);
    expect(calls).toEqual([["0", "1"]]);
  });
});

describe("[E32] a run", () => {
  const definition = formDefinition({ form: "badge" });
  const forms = { badge: [badge] as (typeof badge)[], card: [card, { ...badge, milliCredits: 5 }] };
  const json = JSON.stringify(definition);
  afterEach(() => {
    forms.badge.length = 1;
  });

  test("keeps the content that it was checked against when newer content is stored, with another fingerprint than a run that began with it", async () => {
    const { resolve } = formStore(forms);
    const first = await published(definition, resolve);
    const begun = factsOf(first);
    forms.badge.push({ fields: { name: "text" }, milliCredits: 99 as never });
    const second = await published(definition, resolve);
    expect(knownVersion(key)).toBe(second);
    // The isolate now has the newer plan; the run that wakes must not get it.
    const woken = planOf(begun, () => json, findWithForms);
    expect(woken.nodes[1]!.costMilliCredits).toBe(30);
    expect(woken.nodes[1]!.references).toMatchObject([
      { path: "form", id: "badge", version: "r1" },
    ]);
    expect(fingerprintOf(woken)).toBe(fingerprintOf(first.plan));
    expect(fingerprintOf(woken)).not.toBe(fingerprintOf(second.plan));
    expect(planOf(factsOf(second), () => json, findWithForms).nodes[1]!.costMilliCredits).toBe(99);
  });

  test("permanently shows in its outline which version it used", async () => {
    const { plan } = await published(definition, formStore(forms).resolve);
    const kept = JSON.parse(JSON.stringify(storedPlanOf(plan))) as ReturnType<typeof storedPlanOf>;
    expect(outlineIn(kept).nodes.map(({ references }) => references)).toEqual([
      undefined,
      [{ path: "form", kind: "form", id: "badge", version: "r1" }],
      undefined,
    ]);
  });

  test("whose submit sets the parameter has the content of that reference, and its price", async () => {
    const { resolve } = formStore(forms);
    const loaded = await published(definition, resolve);
    const overrides = setting("revision", "1");
    expect(await runReferences(loaded, [], resolve, findWithForms)).toBe(loaded.references.list);
    const pinned = await runReferences(loaded, overrides, resolve, findWithForms);
    expect(pinned.map(({ revision, version }) => [revision, version])).toEqual([
      [null, "r1"],
      ["1", "r1"],
    ]);
    const form = setting("form", "card");
    const references = await runReferences(loaded, form, resolve, findWithForms);
    const bound = { inputs: [], parameter_overrides: form };
    const { unit_costs } = computeAdmission(loaded.plan, bound, {}, new References(references));
    expect(unit_costs).toEqual([{ node_id: "fill", milli_credits: 5 }]);
    const facts = factsOf(loaded, { parameter_overrides: form, references });
    expect(planOf(facts, () => json, findWithForms).nodes[1]!.references).toMatchObject([
      { id: "card", version: "r2" },
    ]);
  });

  test("whose submit refers to missing or incompatible content is rejected", async () => {
    const { resolve } = formStore(forms);
    const loaded = await published(definition, resolve);
    await expect(
      runReferences(loaded, setting("form", "letter"), resolve, findWithForms),
    ).rejects.toMatchObject({
      code: "validation_error",
      errors: [{ code: "REFERENCE_NOT_FOUND", path: "nodes[1].parameters.form" }],
    });
    const twoFields = [...setting("form", "card"), ...setting("revision", "1")];
    await expect(runReferences(loaded, twoFields, resolve, findWithForms)).rejects.toMatchObject({
      code: "validation_error",
      errors: [{ code: "PORT_NOT_CONNECTED" }],
    });
  });

  test("keeps its references if its start is too long for the workspace", async () => {
    const stored = new Map<string, string>();
    const files = {
      put: (name: string, text: string) => Promise.resolve(void stored.set(name, text)),
      get: (name: string) =>
        Promise.resolve({ json: () => Promise.resolve(JSON.parse(stored.get(name)!) as unknown) }),
    };
    const long = {
      kind: "form",
      id: "f",
      revision: null,
      version: "1",
      content: "x".repeat(70_000),
    };
    const start = { workspace_id: "w", run_id: "r", references: [long] } as never;
    const short = await shortenStart(files as never, start);
    expect(JSON.stringify(short).length).toBeLessThan(1_000);
    expect(await restoreStart(files as never, short as never)).toMatchObject({
      references: [long],
    });
  });
});
