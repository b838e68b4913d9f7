/** Files in a task's report. They come from another Worker, so their claims are checked. */
import type { ReportedTask } from "../../../src/engine/drive/run-rows.ts";
import { decodeValue, isSpilled } from "../../../src/engine/values.ts";
import { base64Bytes } from "../../../src/lib/files/file-content.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import {
  PACKED_FILE_BYTES_MAX,
  PACK_BYTES_MAX,
  ROW_FILE_BYTES_MAX,
} from "../../../src/lib/files/held-file-sizes.ts";

const FILE = /^\["[fs]",/;
const PACK_KEY = /^(ws_[^/]+\/runs\/run_[^/]+\/)packs\/[A-Za-z0-9-]{1,64}$/;

type Reported = ReportedTask["outcome"];

const MISPLACED = {
  kind: "failed",
  failure: {
    code: "INTERNAL_NODE_ERROR",
    message: "The node reported a file with an invalid location. This is a fault of the service.",
  },
} as const;

/** Whether a stored value is a file that is not an R2 object of its own. May also be true for JSON. */
export function isHeldFile(stored: string): boolean {
  return stored.includes('"inline":"') || stored.includes('"pack":{');
}

/** Returns the outcome, or a failure if a file is invalid or an output contains no stored value. */
export function withCheckedFiles(outcome: Reported, workspaceId: string): Reported {
  return outcome.kind === "ok" && outcome.outputs.some(([, value]) => !isSound(value, workspaceId))
    ? MISPLACED
    : outcome;
}

/** Whether an outcome contains a file that is not an R2 object. */
export function hasHeldFiles(outcome: Reported): boolean {
  return outcome.kind === "ok" && outcome.outputs.some(([, value]) => isHeldFile(value));
}

function isSound(stored: string, workspaceId: string): boolean {
  if (!FILE.test(stored) || !isHeldFile(stored)) {
    return stored.startsWith('["');
  }
  try {
    const value = decodeValue(stored);
    const file = isSpilled(value) ? value.spilled : value;
    return file instanceof FileRef && (hasSoundContent(file) || hasSoundPack(file, workspaceId));
  } catch {
    return false;
  }
}

function hasSoundContent({ content, pack, sizeBytes }: FileRef): boolean {
  return (
    content !== undefined &&
    pack === undefined &&
    sizeBytes <= ROW_FILE_BYTES_MAX &&
    base64Bytes(content.base64) === sizeBytes
  );
}

/** A pack of another run of the workspace may be passed on, but is not served as this run's. */
function hasSoundPack({ content, pack, sizeBytes }: FileRef, workspaceId: string): boolean {
  return (
    pack !== undefined &&
    content === undefined &&
    Number.isSafeInteger(sizeBytes) &&
    sizeBytes > 0 &&
    sizeBytes <= PACKED_FILE_BYTES_MAX &&
    pack.offset >= 0 &&
    pack.offset + sizeBytes <= PACK_BYTES_MAX &&
    PACK_KEY.exec(pack.key)?.[1]?.startsWith(`${workspaceId}/`) === true
  );
}
