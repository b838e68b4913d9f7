import { createHash } from "node:crypto";
import { hash } from "node:crypto";
import type { StoredValue } from "../../src/contracts/runs/task.ts";
import type { RunHost } from "../../src/engine/drive/run-host.ts";
import type { PlanNode } from "../../src/engine/plan/plan.ts";
import {
  checkValueMemory,
  encodeSpilled,
  encodeValue,
  type SpilledValue,
  VALUE_INLINE_MAX_BYTES,
  VALUE_MAX_BYTES,
} from "../../src/engine/values.ts";
import { canonicalKey } from "../../src/engine/values/canonical-json.ts";
import { readBytes } from "../../src/engine/values/spilled-memory.ts";
import { tableReadingBytes } from "../../src/domain/datasets/reading-memory.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../src/lib/json/exact-json.ts";
import { FileRef } from "../../src/lib/files/file-ref.ts";
import { MemoryGate } from "../../src/lib/memory/memory-gate.ts";
import { NodeError } from "../../src/lib/errors/node-error.ts";
import type { RunValue } from "../../src/nodes/define-ports.ts";
import type { InlineContext } from "../../src/nodes/define-tools.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { isOwnFile } from "../../src/storage/r2/own-file.ts";
import { readValueText, writeValueText } from "../../src/storage/r2/run-values.ts";
import { neighboursOf } from "./active-tenants.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { inlineNodeContext } from "../../src/domain/executions/inline-node-context.ts";
import type { Env } from "../../src/platform/env.ts";
import type { InlineRetries } from "./tasks/inline-retries.ts";
import type { RunMetadata } from "./live-run.ts";
import { runLogger } from "./run-logging.ts";
import type { RunStore } from "./state/run-store.ts";
import { CONTENDED_SLICE_WORK_MAX, SLICE_WORK_MAX } from "../../src/engine/step/next-work.ts";

interface WorldOptions {
  readonly files: R2Bucket;
  readonly log: Logger;
  readonly nodeContext: InlineContext;
  readonly workspaceId: string;
  readonly runId: string;
  /** The run's own secret, the seed of the unguessable parts of its keys. */
  readonly seed: string;
  readonly awaitNextAttempt: RunHost["awaitNextAttempt"];
  /** Called before a value is stored in R2. */
  readonly beforeStoring: () => void;
}

/** Key prefix of one element's stored data; `what` names the element and the kind of data. */
export function filePrefix(
  options: Pick<WorldOptions, "workspaceId" | "runId" | "seed">,
  what: string,
): string {
  return `${options.workspaceId}/runs/${options.runId}/${derivedToken(options.seed, what)}/`;
}

/** 43 characters that only the holder of the seed can compute, and that do not reveal the seed. */
export function derivedToken(seed: string, what: string): string {
  return hash("sha256", `${seed}|${what}`, "base64url");
}

/** The I/O of a run's driver, over R2. */
export function createRunHost(options: WorldOptions): RunHost {
  const { files, log } = options;

  const spill = async (
    node: PlanNode,
    element: number,
    port: string,
    text: string,
    /** Undefined for a plain text. */
    json: JsonValue | undefined,
  ): Promise<StoredValue> => {
    const isText = json === undefined;
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > VALUE_MAX_BYTES) {
      throw new NodeError(
        "VALUE_TOO_LARGE",
        `"${node.id}" produced ${bytes.length} bytes on "${port}"; a value has at most ${VALUE_MAX_BYTES}. Split it, or aggregate fewer items.`,
      );
    }
    if (!isText) {
      checkValueMemory(text, `The value of "${port}" of "${node.id}"`);
    }
    const file = new FileRef({
      key: `${filePrefix(options, `${node.index}.${element}.${port}`)}value.${isText ? "txt" : "json"}`,
      name: isText ? "value.txt" : "value.json",
      contentType: isText ? "text/plain; charset=utf-8" : "application/json",
      sizeBytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      ...(json !== undefined && { canonical: canonicalKey(json) }),
    });
    options.beforeStoring();
    await writeValueText(files, file, bytes);
    return isText ? encodeValue(file) : encodeSpilled(file);
  };

  return {
    nodeContext: options.nodeContext,

    memory: new MemoryGate(),

    async loadSpilled(values) {
      const loaded = new Map<SpilledValue, RunValue>();
      let bytes = 0;
      for (const value of values) {
        const text = await readValueText(files, value.spilled);
        if (text !== null) {
          loaded.set(value, parseJson(text));
          bytes += readBytes(value, text);
        }
      }
      return { values: loaded, bytes };
    },

    readingBytes: ({ name, sizeBytes }) => tableReadingBytes(name, sizeBytes) ?? 0,

    store(node, element, port, value) {
      const stored = encodeValue(value);
      // A UTF-16 code unit has at most three bytes of UTF-8, so short texts need no counting.
      if (stored.length * 3 <= VALUE_INLINE_MAX_BYTES || value instanceof FileRef) {
        return stored;
      }
      // People download the content of an output/text, so its bytes are the plain text and not JSON.
      const isText = node.type.type === "output/text" && typeof value === "string";
      const text = isText ? value : stringifyJson(value);
      return Buffer.byteLength(text) <= VALUE_INLINE_MAX_BYTES
        ? stored
        : spill(node, element, port, text, isText ? undefined : value);
    },

    isOwnFile: (file) => isOwnFile(file, `${options.workspaceId}/runs/${options.runId}/`),

    awaitNextAttempt: options.awaitNextAttempt,

    ...createPacer({
      isContended: () => neighboursOf(options.workspaceId).others_active === true,
      wait: (ms) => scheduler.wait(ms),
    }),

    onClaim(node, element, problem) {
      log.error("charge.adjusted", { node_id: node.id, element: element, problem });
    },

    onDefect(node, error) {
      log.error("node.defect", {
        node_id: node.id,
        node_type: node.type.type,
        cause: describeCause(error),
      });
    },
  };
}

/** The connections of a run's driver to other services. */
export function createHost(
  env: Env,
  metadata: RunMetadata,
  seed: string,
  inlineRetries: InlineRetries,
  store: RunStore,
): RunHost {
  return createRunHost({
    files: env.FILES,
    log: runLogger(metadata),
    nodeContext: inlineNodeContext(env.FILES, metadata.workspace_id),
    workspaceId: metadata.workspace_id,
    runId: metadata.run_id,
    seed,
    beforeStoring: () => {
      store.noteFiles();
      // Its key derives from the run's seed, which a run that is in memory only would lose in a crash.
      store.keep();
    },
    awaitNextAttempt: (node, element) => inlineRetries.awaitNext(node, element),
  });
}

/** A run with no more consecutive slices than this may be small, and does not rest. */
const SLICES_BEFORE_REST = 2;

/** About twice the duration of a short slice, which leaves others two thirds of the thread, as with tasks. */
const REST_MS = 2;

interface PacerParts {
  /** Whether other workspaces currently wait for the thread. */
  readonly isContended: () => boolean;
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * How a run shares its thread. Alone, it works in long slices without pauses. While others wait, its slices are short,
 * and it rests after each: a mere turn of the event loop would give it a slice for each step of another run.
 */
export function createPacer({
  isContended,
  wait,
}: PacerParts): Required<Pick<RunHost, "sliceWorkMax" | "pause">> {
  return {
    sliceWorkMax: () => (isContended() ? CONTENDED_SLICE_WORK_MAX : SLICE_WORK_MAX),
    pause: (slices) => wait(slices > SLICES_BEFORE_REST && isContended() ? REST_MS : 0),
  };
}
