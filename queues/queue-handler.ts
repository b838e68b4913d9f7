import type * as z from "zod";
import type { RunnerEnv } from "../src/platform/env.ts";

/** One parsed message and the callback that reports whether it was taken over. */
export interface Delivery<T> {
  readonly body: T;
  /** True acknowledges the message; false retries it after a delay, as does never calling it. */
  readonly settle: (isTaken: boolean) => void;
}

/** The message schema of a queue and the handler that takes its messages over; one per queue. */
export interface QueueHandler<T> {
  readonly queue: string;
  readonly message: z.ZodType<T>;
  /** Only hands messages over: it does not wait for a node or a webhook receiver (ARCHITECTURE.md). */
  deliver(env: RunnerEnv, deliveries: readonly Delivery<T>[]): Promise<void>;
}
