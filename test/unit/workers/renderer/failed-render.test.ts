/** How the render of one document ends before its result (docs/contract/templates.md#rendering). */
import { afterEach, expect, test, vi } from "vitest";
import { RenderTooLargeError } from "../../../../src/templates/layout/options.ts";
import { FailedRender, withinRenderTime } from "../../../../src/workers/renderer/failed-render.ts";
import { DocumentInvalidError } from "../../../../src/workers/renderer/kept-templates.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Work that goes on until its signal ends it, as a render does between its pages. */
const untilEnded = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => {
      reject(signal.reason as Error);
    });
  });

const failureOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof FailedRender ? error.failure.code : error;
};

test("a render that takes longer than its 60 s ends as one, and not as a cancelled task", async () => {
  vi.useFakeTimers();
  let code: unknown;
  const ended = failureOf(withinRenderTime(new AbortController().signal, untilEnded)).then(
    (failure) => (code = failure),
  );
  await vi.advanceTimersByTimeAsync(59_999);
  expect(code).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(await ended).toBe("timeout");
});

test("a render that has ended leaves no timer", async () => {
  vi.useFakeTimers();
  const { signal } = new AbortController();
  expect(await withinRenderTime(signal, () => Promise.resolve("made"))).toBe("made");
  expect(vi.getTimerCount()).toBe(0);
});

test("a task that is cancelled ends its render with the task's reason", async () => {
  const task = new AbortController();
  const ended = failureOf(withinRenderTime(task.signal, untilEnded));
  const reason = new Error("the run was cancelled");
  task.abort(reason);
  expect(await ended).toBe(reason);
});

test("faults of the document have codes, and faults of stores stay what they are", async () => {
  const ending = (error: Error) =>
    failureOf(withinRenderTime(new AbortController().signal, () => Promise.reject(error)));
  expect(await ending(new RenderTooLargeError("201 pages"))).toBe("too_large");
  expect(await ending(new DocumentInvalidError("not this one"))).toBe("unavailable");
  const fault = new Error("the store does not answer");
  expect(await ending(fault)).toBe(fault);
});
