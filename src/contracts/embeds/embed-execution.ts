/** Executions as an embed token sees them: without credits (docs/contract/embeds.md#executions). */
import { ExecutionResult } from "../runs/execution-requests.ts";
import { Execution } from "../runs/run.ts";
import type * as z from "zod";

export const EmbedExecution = Execution.omit({ credits_used: true, as_of: true }).meta({
  id: "EmbedExecution",
});
export type EmbedExecution = z.infer<typeof EmbedExecution>;

export const EmbedExecutionResult = ExecutionResult.omit({
  credits_used: true,
  as_of: true,
}).meta({ id: "EmbedExecutionResult" });
export type EmbedExecutionResult = z.infer<typeof EmbedExecutionResult>;
