/** [E32] The routes of a workflow whose node refers to what is stored elsewhere, with a node and a store of the test. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  REFERENCE_RESOLVERS,
  type ReferenceResolver,
} from "../../../src/domain/references/resolve-references.ts";
import { call, type Caller, newCaller } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { type Form, formDefinition, formNode, formStore } from "../../support/references.ts";
import { addNodes } from "../../support/with-test-nodes.ts";
import { failedOutcome, TaskRunner } from "../executions/task-runner.ts";

const form = (milliCredits: number, fields: Form["fields"] = { name: "text" }): Form => ({
  fields,
  milliCredits,
});
const forms = { badge: [form(30)] };
const inputs = { name: { value: JSON.stringify("Ann") } };

let caller: Caller;
let removeNodes: () => void;
const resolvers = REFERENCE_RESOLVERS as Record<string, ReferenceResolver>;
const post = (path: string, json: unknown) =>
  call("POST", `/api/v1/${path}`, { token: caller.token, json });

beforeAll(async () => {
  removeNodes = addNodes([formNode]);
  const { resolve } = formStore(forms);
  resolvers["form"] = (_ctx, references) => resolve(references);
  caller = await newCaller();
});

afterAll(() => {
  delete resolvers["form"];
  removeNodes();
});

describe("a definition that refers to what is stored elsewhere", () => {
  it("is checked with what is there", async () => {
    const validate = (definition: unknown) => post("workflows/validate", { definition });
    expect((await validate(formDefinition({ form: "badge" }))).json).toMatchObject({ valid: true });
    const missing = await validate(formDefinition({ form: "letter" }));
    expect([missing.status, missing.json]).toMatchObject([
      200,
      {
        valid: false,
        errors: [{ code: "REFERENCE_NOT_FOUND", path: "nodes[1].parameters.form" }],
      },
    ]);
    const port = await validate(formDefinition({ form: "badge" }, "place"));
    expect(port.json).toMatchObject({ valid: false, errors: [{ code: "unknown_port" }, {}] });
  });

  it("runs with what its submit found, at its price, whatever is stored later", async () => {
    const workflow = await publishedWorkflow(caller, formDefinition({ form: "badge" }));
    const estimate = () => post(`workflows/${workflow}/estimate`, { inputs });
    expect((await estimate()).json).toMatchObject({ estimated_milli_credits: 30 });
    const begun = await post("executions", { workflow, inputs });
    expect(begun.status).toBe(202);
    forms.badge.push(form(99));
    const runner = new TaskRunner(begun.json.id);
    const { tasks, references } = await runner.claimed();
    expect(references).toMatchObject({ fill: [{ id: "badge", version: "r1" }] });
    await runner.report(tasks[0]!, failedOutcome("FORMULA_ERROR", "The test asked for it."));
  });
});
