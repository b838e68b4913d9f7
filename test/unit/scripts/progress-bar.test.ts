import { describe, expect, it } from "vitest";
import { ProgressBar } from "../../../scripts/progress-bar.ts";

/** What a bar writes to a stream. */
function written(stream: Partial<NodeJS.WriteStream>, draw: (bar: ProgressBar) => void): string[] {
  const pieces: string[] = [];
  const target = { ...stream, write: (piece: string) => pieces.push(piece) };
  draw(new ProgressBar(target as unknown as NodeJS.WriteStream));
  return pieces;
}

describe("a progress bar", () => {
  it("is one line on a terminal, redrawn in place, no longer than its width, ended once", () => {
    const pieces = written({ isTTY: true, columns: 60 }, (bar) => {
      for (const percent of [0, 1, 50, 100]) {
        bar.show(percent, `Draw: ${String(percent)} of 100`);
      }
      bar.end();
    });
    expect(pieces).toHaveLength(5);
    expect(pieces.at(-1)).toBe("\n");
    const lines = pieces.slice(0, -1);
    for (const line of lines) {
      expect(line.startsWith("\r\u001b[2K")).toBe(true);
      expect(line).not.toContain("\n");
      expect(line.replace("\r\u001b[2K", "").length).toBeLessThan(60);
    }
    const filled = lines.map((line) => line.match(/█/g)?.length ?? 0);
    expect(filled).toEqual([0, 0, 14, 28]);
  });

  it("is a line for each fifth where there is no terminal, and one for the end", () => {
    const pieces = written({}, (bar) => {
      for (let percent = 0; percent <= 100; percent++) {
        bar.show(percent, "building the archive");
      }
      bar.show(100, "building the archive");
      bar.end();
    });
    expect(pieces.map((line) => /(\d+) %/.exec(line)?.[1])).toEqual([
      "20",
      "40",
      "60",
      "80",
      "100",
    ]);
    expect(pieces.every((line) => line.endsWith("building the archive\n"))).toBe(true);
  });

  it("counts the items of all nodes, and none where only a percentage is known", () => {
    const [first, second, third] = written({ isTTY: true, columns: 200 }, (bar) => {
      bar.show(10, "Draw: 400 of 1200");
      bar.show(60, "Check: 5 of 1200");
      bar.show(100, "Completed");
    });
    expect(first).toMatch(/ 400 items, /);
    expect(second).toMatch(/ 1,205 items, /);
    expect(third).toMatch(/ 2,400 items, /);
    const [upload] = written({ isTTY: true, columns: 200 }, (bar) => {
      bar.show(10, "uploading a.csv");
    });
    expect(upload).not.toContain("items");
  });
});
