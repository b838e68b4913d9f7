import { describe, expect, test } from "vitest";
import { DeadlineError, withDeadline } from "../../../src/lib/with-deadline.ts";

describe("a deadline", () => {
  test("passes a result and a failure in time through", async () => {
    await expect(withDeadline(Promise.resolve(1), 1_000)).resolves.toBe(1);
    await expect(withDeadline(Promise.reject(new RangeError("x")), 1_000)).rejects.toThrow(
      RangeError,
    );
  });

  test("ends the wait for a promise that never settles", async () => {
    await expect(withDeadline(new Promise(() => undefined), 10)).rejects.toThrow(DeadlineError);
  });

  test("leaves no unhandled rejection if the failure comes late", async () => {
    const late = new Promise((_resolve, reject) => {
      setTimeout(() => {
        reject(new Error("late"));
      }, 30);
    });
    await expect(withDeadline(late, 5)).rejects.toThrow(DeadlineError);
    await new Promise((resolve) => setTimeout(resolve, 50));
  });
});
