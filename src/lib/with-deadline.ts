/** Thrown by `withDeadline` when time ran out first. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/**
 * The promise's own result, or a DeadlineError after `timeoutMs`. The promise itself goes on;
 * what it does later, a rejection included, is nobody's concern any more.
 */
export function withDeadline<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new DeadlineError(`No response within ${timeoutMs} ms.`));
    }, timeoutMs);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
