/** The context of a node's task in Node: the tools of the Workers themselves, over files in memory. */
import { datasetReaders } from "../../../src/domain/datasets/dataset-readers.ts";
import { storeDataset } from "../../../src/domain/datasets/store-dataset.ts";
import { compileSchema } from "../../../src/expressions/json-schema.ts";
import { joinPieces } from "../../../src/images/byte-writer.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { MemorySource } from "../../../src/lib/files/memory-source.ts";
import type { FileBytes } from "../../../src/nodes/define-file-tools.ts";
import type { TaskContext } from "../../../src/nodes/define-tools.ts";
import { createAudioTools } from "../../../src/workers/media/audio-tools.ts";
import { createVideoTools } from "../../../src/workers/media/video-tools.ts";
import { createDocumentTools } from "../../../src/workers/renderer/document-tools.ts";
import { createCodeTools } from "../../../src/workers/runner/code-tools.ts";
import { createImageTools } from "../../../src/workers/runner/image-tools.ts";
import type { TaskFiles } from "../../../src/workers/shared/node-context.ts";
import { taskContext } from "../images/task-context.ts";
import { MemorySink } from "../media/memory-sink.ts";

const WORKSPACE = "workspace";

export interface ResultContext {
  readonly context: TaskContext;
  /** Stores a file that a node reads or has written. Two contexts give the same files the same keys. */
  add(name: string, contentType: string, bytes: Uint8Array): FileRef;
  bytesOf(file: FileRef): Uint8Array;
  /** How many files are stored. */
  count(): number;
}

/** A context of its own for each call: what one stores, another does not have. */
export function resultContext(): ResultContext {
  const stored = new Map<string, Uint8Array>();
  const add: ResultContext["add"] = (name, contentType, bytes) => {
    // The number keeps files of the same name apart; rows of datasets have names of their own, which readers check.
    const key = `${WORKSPACE}/runs/run/${stored.size}/${name}`;
    stored.set(key, bytes);
    return new FileRef({ key, name, contentType, sizeBytes: bytes.length, etag: "etag" });
  };
  const bytesOf: ResultContext["bytesOf"] = ({ key }) => {
    const bytes = stored.get(key);
    if (bytes === undefined) {
      throw new Error(`There is no file ${key}.`);
    }
    return bytes;
  };
  const files = filesOver(add, bytesOf);
  const bucket = bucketOf(stored);
  const { context } = taskContext();
  const { signal } = context;
  return {
    add,
    bytesOf,
    count: () => stored.size,
    context: {
      ...context,
      files,
      schemas: { compile: compileSchema },
      codes: createCodeTools(),
      images: createImageTools(),
      audio: createAudioTools({ signal }, files, ({ key }) => Promise.resolve(key)),
      video: createVideoTools({ signal }, files),
      documents: createDocumentTools({ workspaceId: WORKSPACE, executor: {}, signal }, files),
      datasets: {
        ...datasetReaders(bucket, WORKSPACE),
        store: (file, options) =>
          storeDataset(bucket, WORKSPACE, file, options, (name, bytes) =>
            Promise.resolve(add(name, "application/x-ndjson", bytes).key),
          ),
      },
    },
  };
}

function filesOver(add: ResultContext["add"], bytesOf: ResultContext["bytesOf"]): TaskFiles {
  const write = async (name: string, contentType: string, bytes: FileBytes) =>
    add(name, contentType, await whole(bytes));
  return {
    read: (file) => Promise.resolve(bytesOf(file)),
    write,
    writeObject: write,
    writePdf: (name, bytes) => write(name, "application/pdf", bytes),
    writeSound: write,
    open: (file) => Promise.resolve(new MemorySource(bytesOf(file), file.key)),
    beginMedia(name, contentType) {
      const sink = new MemorySink();
      return {
        append: (bytes) => sink.append(bytes),
        patch: (position, bytes) => {
          sink.patch(position, bytes);
        },
        get sizeBytes() {
          return sink.sizeBytes;
        },
        end: () => Promise.resolve(add(name, contentType, sink.bytes())),
        abort: () => Promise.resolve(),
      };
    },
  };
}

async function whole(bytes: FileBytes): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) {
    return bytes.slice();
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) {
    pieces.push(piece.slice());
  }
  return joinPieces(pieces);
}

/** What the readers of tables ask of R2: ranges of a file, and whole chunks of rows. */
function bucketOf(stored: ReadonlyMap<string, Uint8Array>): R2Bucket {
  const bucket = {
    get(key: string, { range }: { range?: { offset: number; length: number } } = {}) {
      const bytes = stored.get(key);
      if (bytes === undefined) {
        return Promise.resolve(null);
      }
      const { offset = 0, length = bytes.length } = range ?? {};
      const part = bytes.slice(offset, offset + length);
      return Promise.resolve({
        size: bytes.length,
        etag: "etag",
        body: new Blob([part]).stream(),
        arrayBuffer: () => Promise.resolve(part.buffer),
      });
    },
  };
  // The readers use nothing else of a bucket.
  return bucket as unknown as R2Bucket;
}
