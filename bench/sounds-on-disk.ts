/**
 * Files of a folder for the tools of the media Worker. What a tool writes is copied into a part, as for the store, and dropped: the store
 * is not measured.
 */
import { openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ByteSource } from "../src/lib/files/byte-source.ts";
import { FileRef } from "../src/lib/files/file-ref.ts";
import type { TaskFiles } from "../src/workers/shared/node-context.ts";

const contentType = "application/octet-stream";
const WAV = "audio/wav";
const PART_BYTES = 8 * 1024 * 1024;

/** A file of the folder as tools refer to it. */
export function fileIn(folder: string, name: string): FileRef {
  const { size: sizeBytes } = statSync(join(folder, name));
  const type = name.endsWith(".wav") ? WAV : contentType;
  return new FileRef({ key: name, name, contentType: type, sizeBytes });
}

/** The files of one call. */
export function filesIn(folder: string): Pick<TaskFiles, "open" | "beginMedia" | "write"> {
  const sources = new Map<string, ByteSource>();
  return {
    open({ key, sizeBytes }) {
      const source = sources.get(key) ?? sourceOf(join(folder, key), sizeBytes);
      sources.set(key, source);
      return Promise.resolve(source);
    },
    async write(name, type, bytes) {
      let sizeBytes = 0;
      for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
        sizeBytes += piece.byteLength;
      }
      return new FileRef({ key: name, name, contentType: type, sizeBytes });
    },
    beginMedia(name) {
      const part = new Uint8Array(PART_BYTES);
      let sizeBytes = 0;
      return {
        append(bytes) {
          for (let at = 0; at < bytes.byteLength;) {
            const place = sizeBytes % PART_BYTES;
            const piece = bytes.subarray(at, at + PART_BYTES - place);
            part.set(piece, place);
            sizeBytes += piece.byteLength;
            at += piece.byteLength;
          }
          return Promise.resolve();
        },
        patch: () => undefined,
        get sizeBytes() {
          return sizeBytes;
        },
        end: () => Promise.resolve(new FileRef({ key: name, name, contentType, sizeBytes })),
        abort: () => Promise.resolve(),
      };
    },
  };
}

function sourceOf(path: string, sizeBytes: number): ByteSource {
  const file = openSync(path, "r");
  return {
    sizeBytes,
    etag: path,
    read(from, to) {
      const bytes = new Uint8Array(Math.min(to, sizeBytes) - from);
      readSync(file, bytes, 0, bytes.byteLength, from);
      return Promise.resolve(bytes);
    },
    stream: () => Promise.reject(new Error("Sound is read by ranges.")),
  };
}
