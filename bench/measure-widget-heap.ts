import type { CDPSession } from "playwright-core";
import { openBrowser } from "../test/support/node/open-browser.ts";
import { startScriptedEmbed } from "../test/support/node/widget/scripted-embed.ts";
import { atMost, type Figure } from "./figure.ts";
import { spread } from "./statistics.ts";

/** Runs, resets and changes of the theme: an hour of a busy page. The first are not counted: they fill caches. */
const [ROUNDS, WARM_UP] = [1_000, 50] as const;
const MEGABYTE = 1_000_000;

/** Growth of the heap of the widget's page, after garbage collections, over an hour of simulated use. */
export async function measureWidgetHeap(rounds = ROUNDS): Promise<Figure> {
  const embed = await startScriptedEmbed();
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    embed.script({});
    embed.release();
    // On the frame's own origin: host and frame share a process, whose heap the browser can measure.
    await page.goto(`${embed.origin}/host`);
    await page.evaluate(`show(${JSON.stringify(embed.page())}, "640px")`);
    const frame = await (
      await page.waitForSelector("iframe", { state: "attached" })
    ).contentFrame();
    await frame?.waitForSelector('[data-phase="idle"]');
    const use = (count: number) =>
      page.evaluate<number>(`(async () => {
        let runs = 0;
        for (let round = 0; round < ${String(count)}; round += 1) {
          await send("svc:setValues", { name: "Linden " + round, photo: { url: "https://example.com/a.png" }, scene: "scene_0" });
          const { ok } = await send("svc:execute");
          runs += ok ? 1 : 0;
          await send("svc:reset");
          await send("svc:setTheme", { mode: round % 2 === 0 ? "dark" : "light", borderRadius: round % 20 });
          // The host's own notes are not the widget's.
          messages.length = 0;
          waiting.clear();
        }
        return runs;
      })()`);
    const session = await page.context().newCDPSession(page);
    await use(WARM_UP);
    const before = await heapBytes(session);
    const runs = await use(rounds);
    if (runs !== rounds) {
      throw new Error(`${String(runs)} of ${String(rounds)} runs of the widget completed.`);
    }
    const grown = ((await heapBytes(session)) - before) / MEGABYTE;
    return {
      name: `heap of the widget's page, growth over ${rounds.toLocaleString("en-US")} runs, resets and themes`,
      unit: "MB",
      ours: spread([grown]),
      beside: [{ name: "the page before", value: spread([before / MEGABYTE]) }],
      targets: [atMost("within 5 MB of the start", Math.abs(grown), 5)],
    };
  } finally {
    await browser.close();
    await embed.close();
  }
}

/** Used bytes after collections; the first may leave objects whose finalizers it has just run. */
async function heapBytes(session: CDPSession): Promise<number> {
  for (let pass = 0; pass < 3; pass += 1) {
    await session.send("HeapProfiler.collectGarbage");
  }
  return (await session.send("Runtime.getHeapUsage")).usedSize;
}
