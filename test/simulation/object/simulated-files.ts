/** Small files of simulated tasks: in their reports, or in packs with other bytes around them. */
import type { LeasedTask } from "../../../src/contracts/runs/task.ts";
import { encodeValue } from "../../../src/engine/values.ts";
import { FileContent } from "../../../src/lib/files/file-content.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";

/** The port that only the simulation has. */
export const FILE_PORT = "file";

/** Sizes stored in a block, in a separate row, and at the limit of a row. */
const SIZES = [0, 40, 700, 3_000, 5_000, 8_192] as const;

/** The expected content of this key's file. */
function bytesOf(key: string, sizeBytes: number): Uint8Array {
  return new Uint8Array(Buffer.from(key.repeat(Math.ceil(sizeBytes / key.length)))).slice(
    0,
    sizeBytes,
  );
}

export class SimulatedFiles {
  /** Bytes of packs by key, as stored. */
  readonly packs = new Map<string, Uint8Array>();
  /** Ended elements whose files were checked, of all kinds. */
  checked = 0;

  /** A task's file as in its report. It follows from the task alone and uses no random numbers of the world. */
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

  /** The problem of an ended element's file; undefined if it has its task's bytes. */
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
