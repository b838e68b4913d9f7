import type { z } from "zod";
import type { RunnerEnv } from "../src/platform/env.ts";

/** One parsed message, and how to say whether it was taken over. */
export interface Delivery<T> {
  readonly body: T;
  /** True: acknowledged. False: comes again after a delay. Left unsettled it comes again too. */
  readonly settle: (isTaken: boolean) => void;
}

/** What a queue's messages are and who takes them; one for each queue. */
export interface QueueHandler<T, E = RunnerEnv> {
  readonly queue: string;
  readonly message: z.ZodType<T>;
  /** Only hands over: it awaits no node and no receiver (ARCHITECTURE.md). */
  deliver(env: E, deliveries: readonly Delivery<T>[]): Promise<void>;
}
