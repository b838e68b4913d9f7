import type { ExecutorParts, TaskScope } from "../../../durable-objects/executor/executor-parts.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { ByteSource } from "../../lib/files/byte-source.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import type { FileBytes, FileTools } from "../../nodes/define-file-tools.ts";
import type { Need, NodeTools, TaskContext } from "../../nodes/define-tools.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { openFileSource } from "../../storage/r2/open-file-source.ts";
import { isFaststart } from "../../media/container/mp4/is-faststart.ts";
import { MediaFile } from "../../storage/r2/put-media.ts";
import { readTaskFile } from "../../storage/r2/read-task-file.ts";
import { type HeldRoom, writeTaskFile } from "../../storage/r2/write-task-file.ts";
import { cleanFileName } from "./clean-file-name.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** Makes one tool for one attempt of a task; the tool can access only that attempt's resources. */
type MakeTool<N extends Need> = (
  env: TaskEnv,
  scope: TaskScope,
  files: () => TaskFiles,
) => NodeTools[N];

export type ToolMakers = { readonly [N in Need]?: MakeTool<N> };

/** Files of which the trace says whether their metadata stand before their data. */
const MOVIES: ReadonlySet<string> = new Set(["video/mp4", "video/quicktime"]);
const FILES_MAX = LIMITS.files_of_attempt.value;

/** Builds the contexts of a Worker's tasks from `files`, which every Worker has, and the Worker's own tools. */
export function createNodeContext(
  own: ToolMakers,
): Pick<ExecutorParts, "createContext" | "hasTools"> {
  const makers: ToolMakers = { files: (_env, _scope, files) => files(), ...own };
  return {
    hasTools: (needs) => needs.every((need) => makers[need] !== undefined),
    createContext(env, scope, needs) {
      let files: TaskFiles | undefined;
      const filesOf = () => (files ??= taskFiles(env, scope));
      const context = {
        task: scope.task,
        references: scope.references,
        get signal() {
          return scope.signal;
        },
        unreadPorts: scope.unreadPorts,
        nowMs: () => Date.now(),
        log: (message: string, fields?: Record<string, unknown>) => {
          scope.log.info("node.log", { message, ...fields });
        },
      };
      for (const need of needs) {
        Object.assign(context, { [need]: makers[need]?.(env, scope, filesOf) });
      }
      return context as TaskContext;
    },
  };
}

/** The files of one attempt. */
export interface TaskFiles extends FileTools {
  /** Like `write`, but stores the file as an R2 object at once, so that its key may be part of a value. */
  readonly writeObject: FileTools["write"];
  /** Opens an input file that may be too large to be read whole. Throws NodeError `FILE_MISSING`, SourceUnavailableError. */
  readonly open: (file: FileRef) => Promise<ByteSource>;
  /**
   * Begins a file of up to 2 GiB whose first 8 MiB can be changed until its end. Nothing is stored before `end`, nor after
   * `abort`. The caller has `MediaFile.MEMORY_BYTES_MAX` of memory.
   */
  readonly beginMedia: (name: string, contentType: string) => TaskMediaFile;
  /** Stores a PDF of up to 250 MB as a stream. The caller has `SPARING_BYTES` of memory. */
  readonly writePdf: (name: string, bytes: FileBytes) => Promise<FileRef>;
  /** Stores a sound of up to 250 MB as a stream; `isReferred`: as an R2 object at once, like `writeObject`. */
  readonly writeSound: (
    name: string,
    contentType: string,
    bytes: FileBytes,
    isReferred: boolean,
  ) => Promise<FileRef>;
}

/** A file of an attempt that is written in parts. */
export type TaskMediaFile = Pick<MediaFile, "append" | "patch" | "sizeBytes" | "abort"> & {
  end(): Promise<FileRef>;
};

function taskFiles(env: TaskEnv, scope: TaskScope): TaskFiles {
  const { workspaceId, filePrefix } = scope;
  const names = new Set<string>();
  /** A name that this attempt has not used, and its key. */
  const place = (givenName: string) => {
    scope.signal.throwIfAborted();
    if (names.size >= FILES_MAX) {
      throw new NodeError(
        "TOO_MANY_FILES",
        `A node stores at most ${FILES_MAX} files for one element. Ask it for fewer.`,
      );
    }
    const name = unusedName(cleanFileName(givenName), names);
    names.add(name);
    return { name, key: `${filePrefix}${name}` };
  };
  const read = (file: FileRef) => {
    scope.signal.throwIfAborted();
    scope.task.countFile({ use: "read", key: file.key, sizeBytes: file.sizeBytes });
  };
  const stored = (file: FileRef, faststart?: boolean) => {
    const { key, sizeBytes } = file;
    const movie = faststart === undefined ? {} : { faststart };
    scope.task.countFile({ use: "stored", key, sizeBytes, ...movie });
    return file;
  };
  const write = async (
    [givenName, contentType, bytes]: Parameters<FileTools["write"]>,
    room?: HeldRoom,
    bytesMax?: number,
  ) => {
    const file = { ...place(givenName), contentType };
    return stored(await writeTaskFile(env.FILES, workspaceId, file, bytes, room, bytesMax));
  };
  return {
    async read(file) {
      read(file);
      return readTaskFile(env.FILES, workspaceId, file);
    },
    write: (...file) => write(file, scope.room),
    writeObject: (...file) => write(file),
    writePdf: (name, bytes) =>
      write([name, "application/pdf", bytes], scope.room, LIMITS.merged_pdf.value),
    writeSound: (name, contentType, bytes, isReferred) =>
      write(
        [name, contentType, bytes],
        isReferred ? undefined : scope.room,
        LIMITS.model_sound.value,
      ),
    beginMedia(givenName, contentType) {
      const file = { ...place(givenName), contentType };
      const media = new MediaFile(env.FILES, workspaceId, file);
      return {
        append: (bytes) => reach(() => media.append(bytes)),
        patch: (position, bytes) => {
          media.patch(position, bytes);
        },
        get sizeBytes() {
          return media.sizeBytes;
        },
        async end() {
          const { whole } = media;
          const faststart = MOVIES.has(contentType) ? isFaststart(media.head) : undefined;
          if (whole !== undefined) {
            // Small files are hashed, and stored with others where there is room.
            const small = await writeTaskFile(env.FILES, workspaceId, file, whole, scope.room);
            await media.abort();
            return stored(small, faststart);
          }
          const put = await reach(() => media.end());
          return stored(new FileRef({ ...file, ...put }), faststart);
        },
        async abort() {
          names.delete(file.name);
          await media.abort();
        },
      };
    },
    async open(file) {
      read(file);
      return await openFileSource(env.FILES, workspaceId, file);
    },
  };
}

async function reach<T>(store: () => Promise<T>): Promise<T> {
  try {
    return await store();
  } catch (cause) {
    throw new NodeError("STORAGE_UNAVAILABLE", "The file store did not accept the file.", {
      retryable: true,
      cause,
    });
  }
}

/** The name; with a number appended if this attempt already has a file of that name, so that both are kept. */
function unusedName(name: string, used: ReadonlySet<string>): string {
  const dot = name.lastIndexOf(".");
  const at = dot > 0 ? dot : name.length;
  let unused = name;
  for (let number = 2; used.has(unused); number++) {
    unused = `${name.slice(0, at)}-${number}${name.slice(at)}`;
  }
  return unused;
}
