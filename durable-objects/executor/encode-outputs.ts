import type { TaskOutcome } from "../../src/contracts/runs/task.ts";
import {
  checkValueMemory,
  encodeJsonText,
  encodeSpilled,
  encodeValue,
  VALUE_INLINE_MAX_BYTES,
  VALUE_MAX_BYTES,
} from "../../src/engine/values.ts";
import { canonicalKey } from "../../src/engine/values/canonical-json.ts";
import { stringifyJson } from "../../src/lib/json/exact-json.ts";
import { FileRef } from "../../src/lib/files/file-ref.ts";
import { ROW_FILE_BYTES_MAX } from "../../src/lib/files/held-file-sizes.ts";
import { NodeError } from "../../src/lib/errors/node-error.ts";
import type { NodeOutputs, RunValue } from "../../src/nodes/define-ports.ts";
import type { UnstoredFile } from "./report-files.ts";
import { isOwnFile } from "../../src/storage/r2/own-file.ts";
import { type HeldRoom, writeTaskFile } from "../../src/storage/r2/write-task-file.ts";
import { copyTaskFile } from "../../src/storage/r2/copy-task-file.ts";

/** UTF-8 takes at most this many bytes per UTF-16 code unit, so short texts need no measuring. */
const BYTES_PER_UNIT_MAX = 3;

/** The outputs of a task, except for the addresses of files that are stored with its report. */
export interface EncodedOutputs {
  readonly outcome: TaskOutcome;
  readonly files: readonly UnstoredFile[];
}

/**
 * Encodes a task's outputs for storage. JSON texts over 64 KiB are first written to R2 under the attempt's own prefix,
 * or stored with the report. Throws NodeError `VALUE_TOO_LARGE` over 16 MiB (docs/contract/conventions.md#numbers), and
 * TypeError for values that JSON cannot represent.
 */
export async function encodeOutputs(
  outputs: NodeOutputs,
  bucket: R2Bucket,
  workspaceId: string,
  filePrefix: string,
  room: HeldRoom,
): Promise<EncodedOutputs> {
  const stored: { port: string; value: string }[] = [];
  const files: UnstoredFile[] = [];
  const push = (port: string, file: FileRef, isSpilled: boolean) => {
    const isUnstored = file.content !== undefined && file.sizeBytes > ROW_FILE_BYTES_MAX;
    if (isUnstored) {
      files.push({ index: stored.length, file, isSpilled });
      stored.push({ port, value: "" });
    } else {
      stored.push({ port, value: isSpilled ? encodeSpilled(file) : encodeValue(file) });
    }
  };
  for (const [port, value] of outputs) {
    if (value instanceof FileRef) {
      push(port, value, false);
      continue;
    }
    const text = stringifyJson(value) as string | undefined;
    if (text === undefined) {
      throw new TypeError(`Output "${port}" is ${typeof value}, which JSON cannot represent.`);
    }
    if (text.length * BYTES_PER_UNIT_MAX <= VALUE_INLINE_MAX_BYTES) {
      stored.push({ port, value: encodeJsonText(text) });
      continue;
    }
    const bytes = text.length > VALUE_MAX_BYTES ? undefined : new TextEncoder().encode(text);
    if (bytes === undefined || bytes.byteLength > VALUE_MAX_BYTES) {
      throw new NodeError(
        "VALUE_TOO_LARGE",
        `The value of output "${port}" has over ${VALUE_MAX_BYTES} bytes as JSON, the maximum for a value. Split it, or write it to a file.`,
      );
    }
    if (bytes.byteLength <= VALUE_INLINE_MAX_BYTES) {
      stored.push({ port, value: encodeJsonText(text) });
      continue;
    }
    checkValueMemory(text, `The value of output "${port}"`);
    const file = {
      // Names of a node's files never contain a tilde, so the two kinds of names cannot collide.
      key: `${filePrefix}value~${stored.length}.json`,
      name: "value.json",
      contentType: "application/json",
    };
    const written = await writeTaskFile(bucket, workspaceId, file, bytes, room);
    push(port, written.with({ canonical: canonicalKey(value) }), true);
  }
  return { outcome: { kind: "ok", outputs: stored }, files };
}

/**
 * The files of an output. Files of other runs or uploads are copied to this run, so that deleting an asset changes no
 * past output (docs/contract/assets.md#files). `filePrefix` is `{workspace}/runs/{run}/{token}/`.
 */
export async function keepFiles(
  outputs: NodeOutputs,
  bucket: R2Bucket,
  workspaceId: string,
  filePrefix: string,
  room: HeldRoom,
): Promise<NodeOutputs> {
  const ownPrefix = filePrefix.split("/", 3).join("/");
  const kept = new Map<string, RunValue>();
  for (const [port, value] of outputs) {
    const isForeign = value instanceof FileRef && !isOwnFile(value, `${ownPrefix}/`);
    kept.set(
      port,
      isForeign ? await copyTaskFile(bucket, workspaceId, value, filePrefix, room) : value,
    );
  }
  return kept;
}
