/** docs/contract/models.md#jobs: what a task keeps of its calls, in every version that was ever stored. */
import { describe, expect, test } from "vitest";
import { TaskGivenBack } from "../../../src/lib/task-given-back.ts";
import { decodeCalls, encodeCalls, type TaskCalls } from "../../../src/providers/job-token.ts";

/** As version 1 wrote it: a job that was asked for once, a lost submission, and a failure for good. */
const OF_VERSION_1 =
  '[1,3,["5f2b7c0d9a1e4836",0,0,"rm7x3q0hx5rma0cmkcvr2rcq0w","rep","black-forest-labs/flux-schnell",1764000000000,650,1,2,0,' +
  '"/v1/predictions/rm7x3q0hx5rma0cmkcvr2rcq0w","/v1/predictions/rm7x3q0hx5rma0cmkcvr2rcq0w","/v1/predictions/rm7x3q0hx5rma0cmkcvr2rcq0w/cancel"],' +
  '["c0ffee0000000001",0,1],["c0ffee0000000002","CONTENT_REFUSED",0]]';

/** Without the places that an answer had named, as a token is that would be too long. */
const SHORT_OF_VERSION_1 =
  '[1,2,["5f2b7c0d9a1e4836",0,1,"764cabcf-b745-4b3e-ae38-1000","queue","fal-ai/flux/schnell",1764000000000,0,0,0,1]]';

const ID = "rm7x3q0hx5rma0cmkcvr2rcq0w";
const PLACE = `/v1/predictions/${ID}`;
const EXPECTED: TaskCalls = {
  lease: 3,
  calls: new Map([
    [
      "5f2b7c0d9a1e4836",
      {
        failure: null,
        unconfirmed: 0,
        timeouts: 0,
        job: {
          job: { id: ID, status: PLACE, result: PLACE, cancel: `${PLACE}/cancel` },
          provider: "rep",
          remoteModel: "black-forest-labs/flux-schnell",
          submittedAtMs: 1_764_000_000_000,
          polledAtMs: 1_764_000_000_650,
          polls: 1,
          failedPolls: 2,
          isDone: false,
        },
      },
    ],
    ["c0ffee0000000001", { failure: null, unconfirmed: 1, timeouts: 0, job: null }],
    ["c0ffee0000000002", { failure: "CONTENT_REFUSED", unconfirmed: 0, timeouts: 0, job: null }],
  ]),
};

describe("the token of a task's calls", () => {
  test("of version 1 is read, without timeouts", () => {
    expect(decodeCalls(OF_VERSION_1)).toEqual(EXPECTED);
    const [call] = decodeCalls(SHORT_OF_VERSION_1).calls.values();
    expect(call).toMatchObject({ unconfirmed: 1, timeouts: 0, job: { isDone: true } });
    expect(call?.job?.job).toEqual({
      id: "764cabcf-b745-4b3e-ae38-1000",
      status: "",
      result: "",
      cancel: "",
    });
  });

  test("is read as it was written, timeouts included", () => {
    const calls = new Map(EXPECTED.calls);
    calls.set("c0ffee0000000001", { failure: null, unconfirmed: 1, timeouts: 2, job: null });
    const token = encodeCalls({ lease: 7, calls }, 2_048);
    expect(token.startsWith("[2,7,")).toBe(true);
    expect(decodeCalls(token)).toEqual({ lease: 7, calls });
  });

  test("of a later version is left to a later release", () => {
    const later = OF_VERSION_1.replace("[1,", "[3,");
    expect(() => decodeCalls(later)).toThrow(TaskGivenBack);
  });
});
