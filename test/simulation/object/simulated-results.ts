/** What simulated workers make of their tasks, and their reports. */
import type { LeasedTask, TaskOutcome, TaskReport } from "../../../src/contracts/runs/task.ts";
import { decodeValue, encodeValue } from "../../../src/engine/values.ts";
import { GIVE_BACK_REASONS } from "../../../src/lib/task-given-back.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { NodeInputs, type RunValue } from "../../../src/nodes/define-ports.ts";
import {
  fakeClaim,
  fakeGatherNode,
  fakeGiveBacks,
  fakeTaskNode,
  nextFakeToken,
  runFakeTask,
} from "../fake-task-node.ts";

type FakeParams = Parameters<typeof runFakeTask>[1];

export function valuesOf(inputs: LeasedTask["inputs"]): NodeInputs {
  return new NodeInputs(
    new Map(inputs.map(({ port, value }) => [port, decodeValue(value as string) as RunValue])),
  );
}

export interface TaskResult extends Pick<TaskReport, "models" | "digests" | "reused"> {
  readonly outcome: TaskOutcome;
  readonly claim: number | undefined;
}

/** An abandoned attempt returns another result than the accepted one, as a picture or a model would. */
export const STALE: TaskResult = {
  outcome: {
    kind: "ok",
    outputs: [
      { port: "out", value: encodeValue("STALE") },
      { port: "text", value: encodeValue("STALE") },
    ],
  },
  claim: 99,
};

export function reportOf(
  task_id: number,
  fence: number,
  duration_ms: number,
  { outcome, claim, ...more }: TaskResult,
): TaskReport {
  const charge = claim === undefined ? {} : { charge: { milli_credits: claim, usage: null } };
  return { task_id, fence, duration_ms, outcome, ...charge, ...more };
}

/** `givenBack`: how often the task was given back; `afterMs`: how long it waits, if it does. */
export function resultOf(
  task: LeasedTask,
  inputs: NodeInputs,
  givenBack: number,
  afterMs: () => number,
): TaskResult {
  const node = task.node_type === fakeGatherNode.type ? fakeGatherNode : fakeTaskNode;
  const params = node.params.parse(JSON.parse(task.params_json)) as FakeParams;
  if (givenBack < fakeGiveBacks(inputs, params)) {
    const reason = GIVE_BACK_REASONS[givenBack % GIVE_BACK_REASONS.length]!;
    return { outcome: { kind: "given_back", reason }, claim: 50 };
  }
  try {
    const token = nextFakeToken(inputs, params, task.token ?? null);
    if (token !== null) {
      // A charge claimed in a report that its task waits is ignored.
      return { outcome: { kind: "waiting", token, resume_after_ms: afterMs() }, claim: 50 };
    }
    const outputs = runFakeTask(inputs, params, task.attempt);
    return {
      outcome: {
        kind: "ok",
        outputs: [...outputs].map(([port, value]) => ({ port, value: encodeValue(value) })),
      },
      claim: fakeClaim(inputs, params, true),
    };
  } catch (error) {
    if (!(error instanceof NodeError)) {
      throw error;
    }
    const { code, message, retryable } = error;
    return {
      outcome: { kind: "failed", code, message, retryable, retry_after_ms: null },
      claim: fakeClaim(inputs, params, false),
    };
  }
}
