import type { TaskOutcome } from "../../src/contracts/task.ts";
import {
  encodeJsonText,
  encodeSpilled,
  encodeValue,
  VALUE_INLINE_MAX_BYTES,
  VALUE_MAX_BYTES,
} from "../../src/engine/values.ts";
import { stringifyJson } from "../../src/lib/exact-json.ts";
import { FileRef } from "../../src/lib/file-ref.ts";
import { NodeError } from "../../src/lib/node-error.ts";
import type { NodeOutputs } from "../../src/nodes/define-ports.ts";
import { writeTaskFile } from "../../src/storage/r2/write-task-file.ts";

/** UTF-8 takes at most this many bytes for one UTF-16 unit, so a short text need not be measured. */
const BYTES_PER_UNIT_MAX = 3;

/**
 * A task's outputs in stored form; a JSON text over 64 KiB goes to R2 under the attempt's own prefix
 * first. Throws NodeError `VALUE_TOO_LARGE` over 16 MiB (docs/contract/conventions.md#numbers), and TypeError for what JSON
 * cannot hold.
 */
export async function encodeOutputs(
  outputs: NodeOutputs,
  bucket: R2Bucket,
  workspaceId: string,
  filePrefix: string,
): Promise<TaskOutcome> {
  const stored: { port: string; value: string }[] = [];
  for (const [port, value] of outputs) {
    if (value instanceof FileRef) {
      stored.push({ port, value: encodeValue(value) });
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
    const file = {
      // No file that the node names can have a tilde: the two never meet.
      key: `${filePrefix}value~${stored.length}.json`,
      name: "value.json",
      contentType: "application/json",
    };
    stored.push({
      port,
      value: encodeSpilled(await writeTaskFile(bucket, workspaceId, file, bytes)),
    });
  }
  return { kind: "ok", outputs: stored };
}
