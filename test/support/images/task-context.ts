import { drawCode } from "../../../src/images/code/draw-code.ts";
import { logoPainter } from "../../../src/images/code/logo-painter.ts";
import { readCodes } from "../../../src/images/code/read-codes.ts";
import { createPictureTools } from "../../../src/images/create-picture-tools.ts";
import { joinPieces } from "../../../src/images/byte-writer.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import type { TaskContext } from "../../../src/nodes/define-tools.ts";
import { codeReader, imageCodecs, svgRenderer } from "./wasm-modules.ts";

/** Files in memory, by key. */
export interface TestFiles {
  add(name: string, contentType: string, bytes: Uint8Array): FileRef;
  get(file: FileRef): Uint8Array;
  count(): number;
}

/** A node's context with the real drawing tools over files in memory. */
export function taskContext(): { context: TaskContext; files: TestFiles } {
  const stored = new Map<string, Uint8Array>();
  const files: TestFiles = {
    add(name, contentType, bytes) {
      const key = `${stored.size}/${name}`;
      stored.set(key, bytes);
      return new FileRef({ key, name, contentType, sizeBytes: bytes.length });
    },
    get(file) {
      const bytes = stored.get(file.key);
      if (bytes === undefined) {
        throw new Error(`no file ${file.key}`);
      }
      return bytes;
    },
    count: () => stored.size,
  };
  const paintLogo = logoPainter(imageCodecs, svgRenderer);
  const unreadable = () => {
    throw new Error("no datasets here");
  };
  const context: TaskContext = {
    references: new Map(),
    task: {
      key: "call",
      attempt: 1,
      lease: 1,
      token: null,
      charge: () => {},
      wait: () => new Map<string, never>(),
      keep: () => {},
      countCalls: () => {},
      countFile: () => {},
      countCaptions: () => {},
      countColors: () => {},
      noteFetched: () => {},
      emitText: () => {},
    },
    video: {
      split: () => Promise.reject(new Error("no videos here")),
      thumbnail: () => Promise.reject(new Error("no videos here")),
      addSubtitles: () => Promise.reject(new Error("no videos here")),
      extractAudio: () => Promise.reject(new Error("no videos here")),
      muxAudio: () => Promise.reject(new Error("no videos here")),
      concat: () => Promise.reject(new Error("no videos here")),
    },
    audio: {
      measure: () => Promise.reject(new Error("no sounds here")),
      convert: () => Promise.reject(new Error("no sounds here")),
      concat: () => Promise.reject(new Error("no sounds here")),
      mix: () => Promise.reject(new Error("no sounds here")),
      normalize: () => Promise.reject(new Error("no sounds here")),
      fit: () => Promise.reject(new Error("no sounds here")),
      duck: () => Promise.reject(new Error("no sounds here")),
      enhance: () => Promise.reject(new Error("no sounds here")),
      placeClips: () => Promise.reject(new Error("no sounds here")),
      split: () => Promise.reject(new Error("no sounds here")),
      joinDub: () => Promise.reject(new Error("no sounds here")),
    },
    bundles: { validate: () => Promise.reject(new Error("no bundles here")) },
    datasets: {
      csvRows: unreadable,
      jsonItems: unreadable,
      rows: unreadable,
      store: () => Promise.reject(new Error("no datasets here")),
    },
    documents: { merge: () => Promise.reject(new Error("no documents here")) },
    templates: {
      render: () => Promise.reject(new Error("no templates here")),
      collect: () => Promise.reject(new Error("no templates here")),
    },
    models: {
      generateText: () => Promise.reject(new Error("no models here")),
      makeImage: () => Promise.reject(new Error("no models here")),
      beginImage: () => Promise.reject(new Error("no models here")),
      giveUp: () => Promise.resolve(),
      removeBackground: () => Promise.reject(new Error("no models here")),
      upscaleImage: () => Promise.reject(new Error("no models here")),
      measureSound: () => Promise.reject(new Error("no models here")),
      speak: () => Promise.reject(new Error("no models here")),
      transcribe: () => Promise.reject(new Error("no models here")),
      separateStems: () => Promise.reject(new Error("no models here")),
    },
    schemas: { compile: () => Promise.reject(new Error("no schemas here")) },
    files: {
      read: (file) => Promise.resolve(files.get(file)),
      async write(name, contentType, bytes) {
        if (bytes instanceof Uint8Array) {
          return files.add(name, contentType, bytes.slice());
        }
        const pieces: Uint8Array[] = [];
        for await (const piece of bytes) {
          pieces.push(piece.slice());
        }
        return files.add(name, contentType, joinPieces(pieces));
      },
    },
    codes: {
      draw: (spec) => drawCode(spec, paintLogo),
      decode: (rgba, width, height, format) =>
        readCodes({ rgba, width, height }, codeReader, format === undefined ? undefined : [format]),
    },
    fetch: () => Promise.reject(new Error("no addresses here")),
    images: createPictureTools(imageCodecs, svgRenderer),
    log: () => undefined,
    signal: new AbortController().signal,
    nowMs: () => 0,
  };
  return { context, files };
}
