/** SIGKILL at any moment and a restart with no traffic finish every run (docs/contract/executions.md#statuses; the engine's liveness rules). */
import { expect, it } from "vitest";
import { runChaos } from "../chaos/run-chaos.ts";
import { sizeOf } from "../support/sizes.ts";

const KILLS = sizeOf("kills");
const SEED = Number(process.env["CRASH_SEED"] ?? 20_261_120);

it(
  `after ${KILLS} kills with no traffic every run has ended, with correct outputs, credits, events, uploads and storage`,
  async () => {
    const report = await runChaos({ kills: KILLS, seed: SEED });
    const struck = Object.entries(report.histogram).map(([step, count]) => `${step} ${count}`);
    process.stderr.write(
      `chaos: seed ${SEED}, ${KILLS} kills (after ${struck.join(", ")}), ${report.runs} runs, ${report.cutShort} of them cut short, ${report.lost202} whose 202 was lost ended unasked (${report.startedUnasked} not begun before), the slowest ${report.slowestEndMs} ms after ready, ${report.uploadsWentOn} uploads and ${report.exportsWentOn} exports went on, ${report.seconds.toFixed(0)} s\n`,
    );
    // Most kills must have hit work in flight, else this test proves nothing.
    expect(report.cutShort).toBeGreaterThan(KILLS);
    // Two kills may meet the same step; fifty meet all of them.
    if (KILLS >= 50) {
      // Every step at which a run can be interrupted was interrupted.
      expect(Object.keys(report.histogram)).toEqual(
        expect.arrayContaining([
          "admission",
          "slice commit",
          "lease",
          "report",
          "settle",
          "outbox",
        ]),
      );
      // And every guarantee that holds without requests was needed.
      expect(report.lost202).toBeGreaterThan(0);
      expect(report.uploadsWentOn).toBeGreaterThan(0);
      expect(report.exportsWentOn).toBeGreaterThan(0);
    }
  },
  KILLS * 30_000 + 240_000,
);
