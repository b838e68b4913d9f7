import type {
  RunExportApi,
  StoredFile,
  ZipBuildApi,
  HeldContent,
  ZipClaim,
  ZipEntry,
  ZipProgress,
} from "../../contracts/runs/zip-export.ts";
import { describeCause } from "../../lib/errors/describe-cause.ts";
import { isolateMemory, type MemoryLease } from "../../lib/memory/memory-budget.ts";
import { MemoryGate } from "../../lib/memory/memory-gate.ts";
import { unwrap } from "../../lib/result.ts";
import {
  BUILD_BYTES,
  buildArchive,
  type BuildEntry,
  ExportSourceError,
  LeaseOverError,
} from "./build-archive.ts";
import { FileRun } from "./file-run.ts";

/**
 * Number of files requested at once; the same number of 64 KiB values is far below the limit of one
 * call.
 */
const PAGE_ENTRIES = 64;

/**
 * An invocation may make 10,000 calls to storage and objects. Up to this number, files are read one
 * by one; after it, one call to another object reads a page of them, and 65,000 files need a
 * thousand calls more.
 */
const DIRECT_CALLS_MAX = 4_000;
/**
 * After an archive that takes the number of calls past this limit, the builder stops and continues
 * in an invocation of its own.
 */
const CALLS_MAX = 5_000;

export interface BuilderHost {
  readonly bucket: R2Bucket;
  readonly zips: ZipBuildApi;
  run(runId: string): RunExportApi;
  /**
   * The bytes of these files in one stream, which ends before a file that is missing or has another
   * size.
   */
  openFiles(runId: string, files: readonly StoredFile[]): Promise<ReadableStream<Uint8Array>>;
  readonly nowMs: () => number;
  readonly onError: (cause: string) => void;
}

/** Builds archives of one export until none is left. Never throws. */
export async function runBuilder(host: BuilderHost): Promise<void> {
  const calls = { made: 0 };
  const memory = new BuildMemory();
  try {
    // The export's alarm sends a new hint while an archive is unfinished.
    while (calls.made < CALLS_MAX) {
      // Before the claim, because its lease is for building and not for waiting.
      await memory.take();
      const claim = await host.zips.claim({ v: 1 });
      if (claim === null || !(await buildOne(host, claim, calls, memory))) {
        return;
      }
    }
  } catch (error) {
    // The export's alarm sends a new hint when the lease has ended.
    host.onError(describeCause(error));
  } finally {
    memory.release();
  }
}

/** The builder's share of the isolate's memory. */
class BuildMemory {
  readonly #gate = new MemoryGate();
  #lease: MemoryLease | undefined;

  async take(): Promise<void> {
    this.#lease ??= await this.#gate.take(BUILD_BYTES);
  }

  release(): void {
    this.#lease?.release();
    this.#lease = undefined;
  }

  /** Lets other waiters go first, then takes the memory again. */
  async yield(): Promise<void> {
    this.release();
    await this.take();
  }
}

interface Calls {
  made: number;
}

/** Whether to request another archive. */
async function buildOne(
  host: BuilderHost,
  claim: ZipClaim,
  calls: Calls,
  memory: BuildMemory,
): Promise<boolean> {
  const { fence } = claim;
  const report = async (progress: ZipProgress) => {
    // A part costs two calls: its upload and its report.
    calls.made += 2;
    if (!(await host.zips.report({ v: 1, fence, progress }))) {
      throw new LeaseOverError("the lease of the archive is over");
    }
  };
  try {
    await buildArchive(claim, {
      bucket: host.bucket,
      entries: entriesOf(host, claim, calls),
      report,
      nowMs: host.nowMs,
      isMemoryWanted: () => isolateMemory.isContended,
      yieldMemory: () => memory.yield(),
    });
    return true;
  } catch (error) {
    if (error instanceof LeaseOverError) {
      return false;
    }
    host.onError(describeCause(error));
    const isSource = error instanceof ExportSourceError;
    const message = isSource ? error.message : "The archive could not be built. Request it again.";
    await report({ kind: "failed", message, is_retryable: !isSource });
    return false;
  }
}

function sourceOf(
  { seq, key, size_bytes }: ZipEntry,
  contentOf: ReadonlyMap<number, HeldContent | null>,
): BuildEntry["source"] {
  if (key !== null) {
    return { key, size_bytes };
  }
  const content = contentOf.get(seq) ?? null;
  if (content === null || content instanceof Uint8Array) {
    return content;
  }
  return typeof content === "string"
    ? new TextEncoder().encode(content)
    : { ...content, size_bytes };
}

async function* entriesOf(
  host: BuilderHost,
  claim: ZipClaim,
  calls: Calls,
): AsyncGenerator<BuildEntry> {
  const run = host.run(claim.run_id);
  for (let after = 0; ;) {
    const page = await host.zips.entries({
      v: 1,
      zip_id: claim.zip_id,
      after_seq: after,
      limit: PAGE_ENTRIES,
    });
    // Calls between objects of one process can continue without a turn of the event loop.
    await scheduler.wait(0);
    const inRows = page.filter(({ key }) => key === null);
    const contents =
      inRows.length === 0
        ? []
        : unwrap(
            await run.exportContents({
              v: 1,
              workspace_id: claim.workspace_id,
              elements: inRows.map(({ node, ord: element }) => ({ node, ord: element })),
            }),
          );
    const contentOf = new Map(inRows.map(({ seq }, i) => [seq, contents[i] ?? null]));
    const sources = page.map((entry) => ({ entry, source: sourceOf(entry, contentOf) }));
    const stored = sources.flatMap(({ source }) =>
      source !== null && "key" in source ? [source] : [],
    );
    const isDirect = calls.made + stored.length <= DIRECT_CALLS_MAX;
    calls.made += 2 + (isDirect ? stored.length : 1);
    const files =
      isDirect || stored.length === 0
        ? null
        : new FileRun(await host.openFiles(claim.run_id, stored));
    try {
      for (const { entry, source } of sources) {
        yield { ...entry, source, run: files };
      }
    } finally {
      await files?.close();
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ENTRIES) {
      return;
    }
    after = last.seq;
  }
}
