import type { StoredReferences } from "../../src/contracts/references.ts";
import type { TaskWorker } from "../../src/contracts/runs/task-workers.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import type { Need, TaskCall, TaskContext } from "../../src/nodes/define-tools.ts";
import type { TaskEnv } from "../../src/platform/env.ts";
import type { Logger } from "../../src/platform/logger.ts";
import type { HeldRoom } from "../../src/storage/r2/write-task-file.ts";

/** The attempt that a task's context is made for: one attempt of one task of one tenant. */
export interface TaskScope {
  readonly workspaceId: string;
  readonly runId: string;
  readonly taskId: number;
  /**
   * `end` is called once when the attempt's work has ended, however it ends; `isLast`: the task will not run again, so that
   * nothing of it waits any more.
   */
  readonly atEnd: (end: (isLast: boolean) => void) => void;
  /** Stands for the executor object, whose tasks may share timers and promises. */
  readonly executor: object;
  /** Key prefix of this attempt's files. */
  readonly filePrefix: string;
  /** Outputs of the task that nothing reads. */
  readonly unreadPorts: ReadonlySet<string>;
  readonly task: TaskCall;
  /** The stored resources that the node's parameters refer to, by path. */
  readonly references: StoredReferences;
  /** Memory for files that are stored with the task's report. */
  readonly room: HeldRoom;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /**
   * Bytes that the task may hold besides the values of its inputs. It has them when it begins, unless its node needs a
   * tool that takes them later (`beginsWith` in `NEEDS`).
   */
  readonly ownBytes: number;
  /** Reports that from now on the task holds at most this many bytes besides the values of its inputs. */
  readonly shrinkMemory: (bytes: number) => void;
  /**
   * Releases the task's memory and waits until this many bytes besides the values of its inputs are available. Call it
   * while the task holds next to nothing. Throws the reason of the task's abort. `mayGiveBack`: a task that
   * finds no room for minutes is given back with TaskGivenBack, like one that has not begun.
   */
  readonly exchangeMemory: (bytes: number, mayGiveBack?: boolean) => Promise<void>;
}

/** The parts of an executor besides the platform; the Worker's entry passes the real ones. */
export interface ExecutorParts {
  /** The Worker's name in the log. */
  readonly worker: TaskWorker;
  /** Undefined if this Worker is older than the node type. */
  findNode(type: string): NodeType | undefined;
  /** Whether the environment lets the Worker run tasks; otherwise it accepts no hints. */
  isEnvUsable(env: TaskEnv): boolean;
  /** Whether this Worker has every tool that a node needs; other tasks are given back. */
  hasTools(needs: readonly Need[]): boolean;
  /** Ends what a call began elsewhere, as its token says; the run has given the call up. Never throws. */
  giveUp?(env: TaskEnv, workspaceId: string, token: string): Promise<void>;
  /**
   * Makes a context with exactly the listed tools. Its type has all tools; a node's own type has only those that it
   * lists.
   */
  createContext(env: TaskEnv, scope: TaskScope, needs: readonly Need[]): TaskContext;
}
