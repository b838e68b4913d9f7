import type { NodeType, TaskContext } from "../../src/nodes/define-node.ts";
import type { RunnerEnv } from "../../src/platform/env.ts";
import type { Logger } from "../../src/platform/logger.ts";

/** What a task's context is made for: one attempt of one task of one tenant. */
export interface TaskScope {
  readonly workspaceId: string;
  /** Where this attempt's files go. */
  readonly filePrefix: string;
  /** Outputs of the task that nothing reads. */
  readonly unreadPorts: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** What an executor needs besides the platform; the runner's entry gives the real ones. */
export interface ExecutorParts {
  /** Undefined when this runner is older than the node type. */
  findNode(type: string): NodeType | undefined;
  createContext(env: RunnerEnv, scope: TaskScope): TaskContext;
}
