import type { AudioProcessingReport } from "../../contracts/media/audio-reports.ts";
import type { SoundFormat } from "../../contracts/media/sound-formats.ts";
import type { SoundShape } from "../audio-block.ts";
import type { WrittenSound } from "../container/sound-writer.ts";
import { soundFields } from "./quality-report.ts";

/** An input of an operation. */
interface ReportedInput {
  readonly port: string;
  readonly info: SoundShape;
  /** In its own sample rate. */
  readonly frames: number;
}

/** How a sound was made (docs/contract/media.md#reports). `settings` contains the parameters that had an effect. */
export function buildProcessingReport(
  made: Pick<AudioProcessingReport, "operation" | "settings" | "results"> & {
    readonly inputs: readonly ReportedInput[];
    readonly format: SoundFormat;
    readonly written: WrittenSound;
    readonly warnings?: AudioProcessingReport["warnings"];
  },
): AudioProcessingReport {
  const { format, written } = made;
  return {
    schema: "svc.audio-processing-report/v1",
    operation: made.operation,
    inputs: made.inputs.map(({ port, info, frames }) => ({ port, ...soundFields(info, frames) })),
    output: {
      ...soundFields(format, written.frames),
      format: format.format,
      codec: written.codec,
      bit_depth: format.bitDepth,
      bitrate_kbps: format.bitrateKbps,
    },
    settings: made.settings,
    results: made.results,
    warnings: made.warnings ?? [],
  };
}
