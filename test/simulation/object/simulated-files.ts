/** Small files that simulated tasks make: in their reports, or in packs that hold others' bytes before and behind. */
import type { LeasedTask } from "../../../src/contracts/task.ts";
import { encodeValue } from "../../../src/engine/values.ts";
import { FileContent } from "../../../src/lib/file-content.ts";
import { FileRef } from "../../../src/lib/file-ref.ts";

/** The port that only the simulation knows. */
export const FILE_PORT = "file";

/** Sizes that lie in a block, in a row of their own, and at the most a row has. */
const SIZES = [0, 40, 700, 3_000, 5_000, 8_192] as const;

/** What the file of this key must hold. */
function bytesOf(key: string, sizeBytes: number): Uint8Array {
  return new Uint8Array(Buffer.from(key.repeat(Math.ceil(sizeBytes / key.length)))).slice(
    0,
    sizeBytes,
  );
}

export class SimulatedFiles {
  /** Bytes of packs by key, as they lie in the store. */
  readonly packs = new Map<string, Uint8Array>();
  /** Ended elements whose files were looked at, of all kinds together. */
  checked = 0;

  /** A task's file as its report has it. What it is follows from the task alone: no dice of the world are thrown. */
  made({ task_id: id, fence, file_prefix: prefix }: LeasedTask): string {
    const draw = (id % 1_000_003) * 31 + fence * 7;
    const key = `${prefix}held.bin`;
    const name = "held.bin";
    const contentType = "application/octet-stream";
    const isPacked = draw % 3 === 0;
    const sizeBytes = isPacked ? 9_000 : SIZES[draw % SIZES.length]!;
    const bytes = bytesOf(key, sizeBytes);
    if (!isPacked) {
      const content = FileContent.ofBytes(bytes);
      return encodeValue(new FileRef({ key, name, contentType, sizeBytes, content }));
    }
    const run = prefix.split("/", 3).join("/");
    const pack = { key: `${run}/packs/p-${id}-${fence}`, offset: 100 };
    const around = new Uint8Array(100).fill(63);
    this.packs.set(pack.key, new Uint8Array(Buffer.concat([around, bytes, around])));
    return encodeValue(new FileRef({ key, name, contentType, sizeBytes, pack }));
  }

  /** What is wrong with the file of an ended element; undefined where it holds what its task made. */
  problemOf(file: unknown): string | undefined {
    if (!(file instanceof FileRef)) {
      return "an element has lost its file";
    }
    const { key, sizeBytes, content, pack } = file;
    const at = pack === undefined ? undefined : this.packs.get(pack.key);
    const bytes = content?.bytes ?? at?.slice(pack!.offset, pack!.offset + sizeBytes);
    this.checked++;
    return bytes !== undefined && Buffer.compare(bytes, bytesOf(key, sizeBytes)) === 0
      ? undefined
      : `${key} has ${bytes === undefined ? "no bytes" : "other bytes"}, of ${sizeBytes}`;
  }
}
