import { atMost, type Figure } from "./figure.ts";
import { median, spread } from "./statistics.ts";

type Samples = Readonly<Record<"ours" | "before" | "sharp", readonly number[]>>;

/** Other programs on the same file, by their names. */
type Others = Readonly<Record<string, readonly number[]>>;

/** A codec beside the one that it replaced, of which it may take a share, and beside sharp, of which it may take four times. */
export function codecFigure(
  name: string,
  { ours, before, sharp: native }: Samples,
  nameBefore: string,
  shareMax: number,
  others: Others = {},
): Figure {
  const own = median(ours);
  return {
    name,
    unit: "ms of processor time",
    ours: spread(ours),
    beside: [
      { name: nameBefore, value: spread(before) },
      { name: "sharp (native), the same settings", value: spread(native) },
      ...Object.entries(others).map(([program, samples]) => ({
        name: program,
        value: spread(samples),
      })),
    ],
    targets: [
      atMost(`<= ${shareMax} x the code before`, own / median(before), shareMax),
      atMost("<= 4 x sharp", own / median(native), 4),
    ],
  };
}
