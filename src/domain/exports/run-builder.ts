import type {
  RunExportApi,
  ZipBuildApi,
  ZipClaim,
  ZipEntry,
  ZipProgress,
} from "../../contracts/zip-export.ts";
import { describeCause } from "../../lib/describe-cause.ts";
import { unwrap } from "../../lib/result.ts";
import { buildArchive, ExportSourceError, LeaseOverError } from "./build-archive.ts";

/** Files asked for at once; as many texts of 64 KiB stay far below what one call may carry. */
const PAGE_ENTRIES = 64;

export interface BuilderWorld {
  readonly bucket: R2Bucket;
  readonly zips: ZipBuildApi;
  run(runId: string): RunExportApi;
  readonly nowMs: () => number;
  readonly onError: (cause: string) => void;
}

/** Builds archives of one export until there is none left to build. Never throws. */
export async function runBuilder(world: BuilderWorld): Promise<void> {
  try {
    for (;;) {
      const claim = await world.zips.claim({ v: 1 });
      if (claim === null || !(await buildOne(world, claim))) {
        return;
      }
    }
  } catch (error) {
    // The export's alarm hints again when the lease is over.
    world.onError(describeCause(error));
  }
}

/** Whether to ask for another. */
async function buildOne(world: BuilderWorld, claim: ZipClaim): Promise<boolean> {
  const { fence } = claim;
  const report = async (progress: ZipProgress) => {
    if (!(await world.zips.report({ v: 1, fence, progress }))) {
      throw new LeaseOverError("the lease of the archive is over");
    }
  };
  try {
    await buildArchive(claim, {
      bucket: world.bucket,
      entries: entriesOf(world, claim),
      report,
      nowMs: world.nowMs,
    });
    return true;
  } catch (error) {
    if (error instanceof LeaseOverError) {
      return false;
    }
    world.onError(describeCause(error));
    const isSource = error instanceof ExportSourceError;
    const message = isSource ? error.message : "The archive could not be built. Request it again.";
    await report({ kind: "failed", message, is_retryable: !isSource });
    return false;
  }
}

async function* entriesOf(
  world: BuilderWorld,
  claim: ZipClaim,
): AsyncGenerator<ZipEntry & { text: string | null }> {
  const run = world.run(claim.run_id);
  for (let after = 0; ;) {
    const page = await world.zips.entries({
      v: 1,
      zip_id: claim.zip_id,
      after_seq: after,
      limit: PAGE_ENTRIES,
    });
    // Calls between objects of one process can go round without ever letting a poll in.
    await scheduler.wait(0);
    const inRows = page.filter(({ key }) => key === null);
    const texts =
      inRows.length === 0
        ? []
        : unwrap(
            await run.exportTexts({
              v: 1,
              workspace_id: claim.workspace_id,
              elements: inRows.map(({ node, ord }) => ({ node, ord })),
            }),
          );
    const textOf = new Map(inRows.map(({ seq }, i) => [seq, texts[i] ?? null]));
    for (const entry of page) {
      yield { ...entry, text: textOf.get(entry.seq) ?? null };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ENTRIES) {
      return;
    }
    after = last.seq;
  }
}
