import type { StoredReferences } from "../../src/contracts/references.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import type { Need, TaskCall, TaskContext } from "../../src/nodes/define-tools.ts";
import type { RunnerEnv } from "../../src/platform/env.ts";
import type { Logger } from "../../src/platform/logger.ts";
import type { HeldRoom } from "../../src/storage/r2/write-task-file.ts";

/** What a task's context is made for: one attempt of one task of one tenant. */
export interface TaskScope {
  readonly workspaceId: string;
  /** Where this attempt's files go. */
  readonly filePrefix: string;
  /** Outputs of the task that nothing reads. */
  readonly unreadPorts: ReadonlySet<string>;
  readonly task: TaskCall;
  /** What the node's parameters refer to, by path. */
  readonly references: StoredReferences;
  /** For files that are stored with the task's report. */
  readonly room: HeldRoom;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Tells that the task holds no more than so many bytes besides its inputs' values from now on. */
  readonly shrinkMemory: (bytes: number) => void;
  /**
   * Gives back what the task holds and waits until so many bytes are there besides its inputs' values:
   * to be called while it holds next to nothing. Throws what the task is aborted with.
   */
  readonly exchangeMemory: (bytes: number) => Promise<void>;
}

/** What an executor needs besides the platform; the entry of its Worker gives the real ones. */
export interface ExecutorParts {
  /** Undefined where this Worker is older than the node type. */
  findNode(type: string): NodeType | undefined;
  /** Whether the Worker may serve at all with this environment; it takes no hint otherwise. */
  isEnvUsable(env: RunnerEnv): boolean;
  /** Whether this Worker has every tool that a node needs; a task of any other is given back. */
  hasTools(needs: readonly Need[]): boolean;
  /**
   * A context that carries what was named and nothing else. Its type says all: a node's own type
   * knows only of what it named.
   */
  createContext(env: RunnerEnv, scope: TaskScope, needs: readonly Need[]): TaskContext;
}
