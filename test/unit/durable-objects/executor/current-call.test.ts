import { describe, expect, it } from "vitest";
import { CurrentCall } from "../../../../durable-objects/executor/current-call.ts";
import { type LeasedTask, WAIT_TOKEN_MAX_CHARS } from "../../../../src/contracts/runs/task.ts";
import type { NodeType } from "../../../../src/nodes/define-roles.ts";
import { NodeInputs } from "../../../../src/nodes/define-ports.ts";

const leased = { key: "k", attempt: 2 } as LeasedTask;
const callOf = (task: LeasedTask) => new CurrentCall(task, () => {});
const priced = (cost: NodeType["cost"]) => (cost === undefined ? {} : { cost });
const done = { inputs: new NodeInputs(new Map([["text", "seven"]])), params: {} };

describe("the call of a task", () => {
  it("[E26] [E27] has its key, its attempt, and its last waiting token", () => {
    expect(callOf(leased)).toMatchObject({ key: "k", attempt: 2, token: null });
    expect(callOf({ ...leased, token: "job 7" }).token).toBe("job 7");
  });

  it("[E25] claims the node's last reported charge, also for a failed node", () => {
    const call = callOf(leased);
    call.charge({ milliCredits: 5, quantity: null });
    call.charge({ milliCredits: 9, quantity: 2 });
    const node = priced({ unit: "image", milliCredits: 20 });
    const charge = { milli_credits: 9, usage: { unit: "image", quantity: 2 } };
    expect([call.claim(node, done), call.claim(node, null)]).toEqual([{ charge }, { charge }]);
  });

  it("[E25] claims the charge of its inputs if a successful node reported none, else nothing", () => {
    const call = callOf(leased);
    const node = priced({
      unit: "character",
      milliCredits: 100,
      ofInputs: (inputs) => ({
        milliCredits: 2 * inputs.text("text").length,
        quantity: inputs.text("text").length,
      }),
    });
    const charge = { milli_credits: 10, usage: { unit: "character", quantity: 5 } };
    expect(call.claim(node, done)).toEqual({ charge });
    expect(call.claim(node, null)).toEqual({});
    expect(call.claim(priced({ unit: "image", milliCredits: 20 }), done)).toEqual({});
  });

  it("[E25] accepts no negative charge, no fraction and no infinite quantity", () => {
    const call = callOf(leased);
    for (const milliCredits of [-1, 0.5, Number.NaN, Infinity]) {
      expect(() => call.charge({ milliCredits, quantity: null })).toThrow(RangeError);
    }
    for (const quantity of [-1, Number.NaN, Infinity]) {
      expect(() => call.charge({ milliCredits: 1, quantity })).toThrow(RangeError);
    }
    expect(call.claim(priced({ unit: "image", milliCredits: 20 }), done)).toEqual({});
  });

  it("[E26] waits with a token of bounded length", () => {
    const call = callOf(leased);
    expect(() => call.wait("x".repeat(WAIT_TOKEN_MAX_CHARS + 1), 1)).toThrow(RangeError);
    expect(call.waiting).toBeNull();
    expect(call.wait("x".repeat(WAIT_TOKEN_MAX_CHARS), 500)).toEqual(new Map());
    expect(call.waiting).toMatchObject({ kind: "waiting", resume_after_ms: 500 });
  });
});
