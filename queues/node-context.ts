import type { ExecutorParts, TaskScope } from "../durable-objects/executor/executor-parts.ts";
import { datasetReaders } from "../src/domain/datasets/dataset-readers.ts";
import { storeDataset } from "../src/domain/datasets/store-dataset.ts";
import { NodeError } from "../src/lib/node-error.ts";
import type {
  CodeTools,
  ImageTools,
  InlineContext,
  TaskContext,
} from "../src/nodes/define-node.ts";
import type { RunnerEnv } from "../src/platform/env.ts";
import { readTaskFile } from "../src/storage/r2/read-task-file.ts";
import { writeTaskFile } from "../src/storage/r2/write-task-file.ts";
import { createBundleTools } from "./bundle-tools.ts";
import { cleanFileName } from "./clean-file-name.ts";
import { createMediaTools } from "./media-tools.ts";

/** The heavy tools, which only the runner holds. */
export interface NodeTools {
  readonly codes: CodeTools;
  readonly images: ImageTools;
  readonly schemas: InlineContext["schemas"];
}

/** One attempt may store this many files; a node that makes more has lost its way. */
const FILES_MAX = 1_000;

/** How a task's context is made: everything it can reach belongs to the attempt it is made for. */
export function createNodeContext(tools: NodeTools): ExecutorParts["createContext"] {
  return (env, scope) => {
    const files = taskFiles(env, scope);
    return {
      codes: tools.codes,
      images: tools.images,
      schemas: tools.schemas,
      files,
      // What few nodes use is made for those that do: a quick task takes less time than all of it.
      get datasets() {
        return {
          ...datasetReaders(env.FILES, scope.workspaceId),
          store: datasetStore(env, scope, files),
        };
      },
      get media() {
        return createMediaTools(env, scope);
      },
      get bundles() {
        return createBundleTools(env, scope.workspaceId);
      },
      get signal() {
        return scope.signal;
      },
      unreadPorts: scope.unreadPorts,
      nowMs: () => Date.now(),
      log: (message, fields) => {
        scope.log.info("node.log", { message, ...fields });
      },
    };
  };
}

function datasetStore(
  env: RunnerEnv,
  { workspaceId }: TaskScope,
  files: TaskContext["files"],
): TaskContext["datasets"]["store"] {
  return (file, options) =>
    storeDataset(env.FILES, workspaceId, file, options, async (name, bytes) => {
      const type = name.endsWith(".json") ? "application/json" : "application/x-ndjson";
      return (await files.write(name, type, bytes)).key;
    });
}

function taskFiles(env: RunnerEnv, scope: TaskScope): TaskContext["files"] {
  const { workspaceId, filePrefix } = scope;
  const names = new Set<string>();
  return {
    async read(file) {
      scope.signal.throwIfAborted();
      return readTaskFile(env.FILES, workspaceId, file);
    },
    async write(givenName, contentType, bytes) {
      scope.signal.throwIfAborted();
      if (names.size >= FILES_MAX) {
        throw new NodeError(
          "TOO_MANY_FILES",
          `A node stores at most ${FILES_MAX} files for one element. Ask it for fewer.`,
        );
      }
      const name = unusedName(cleanFileName(givenName), names);
      names.add(name);
      const key = `${filePrefix}${name}`;
      return writeTaskFile(env.FILES, workspaceId, { key, name, contentType }, bytes);
    },
  };
}

/** The name, or with a number where this attempt has a file of that name: both stay. */
function unusedName(name: string, used: ReadonlySet<string>): string {
  const dot = name.lastIndexOf(".");
  const at = dot > 0 ? dot : name.length;
  let unused = name;
  for (let number = 2; used.has(unused); number++) {
    unused = `${name.slice(0, at)}-${number}${name.slice(at)}`;
  }
  return unused;
}
