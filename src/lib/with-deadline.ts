/** Thrown by `withDeadline` if the time runs out first. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/**
 * The result of the promise, or a DeadlineError after `timeoutMs`. The promise itself continues;
 * its later result or rejection is ignored.
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
