import { diffLines } from "diff";
import fastJsonPatch from "fast-json-patch";
import microdiff from "microdiff";
import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import { lineDiff } from "../src/lib/diff/line-diff.ts";
import { SeededRandom } from "../test/simulation/seeded-random.ts";
import { atMost, type Figure } from "./figure.ts";
import { httpCall } from "./http-call.ts";
import { interleave } from "./interleave.ts";
import { median, spread } from "./statistics.ts";

export interface ComparisonOptions {
  readonly items?: number;
  readonly rounds?: number;
}

const [PAGE_MS, BESIDE_DOWNLOADS, BESIDE_DIFF, BESIDE_READ] = [500, 0.5, 2, 3] as const;
const [LINES, LINE_ROUNDS] = [4_000, 15] as const;

/** An item whose ordinal has this remainder by 100 differs. */
const DIFFERING = 50;

interface Reader {
  readonly client: ApiClient;
  readonly headers: Readonly<Record<string, string>>;
  readonly workflow: string;
}

/** The first page of a comparison, past states, and a difference of lines, each beside what a caller would do without. */
export async function measureComparisons(
  client: ApiClient,
  { items = 10_000, rounds = 7 }: ComparisonOptions = {},
): Promise<Figure[]> {
  const headers = { authorization: `Bearer ${await client.token()}` };
  const reader = { client, headers, workflow: await publish(client, GREETINGS) };
  return [
    await measurePage(reader, items, rounds),
    await measurePastStates(reader, items, rounds),
    await measureLines(),
  ];
}

/** Of two new runs each time, whose objects have not been compared yet; and the same again. */
async function measurePage(reader: Reader, items: number, rounds: number): Promise<Figure> {
  let [a, b] = ["", ""];
  const differing = items / 100;
  const page = async () => {
    const startedAt = performance.now();
    const text = await get(reader, `${a}/diff/${b}`);
    const ms = performance.now() - startedAt;
    const { totals } = JSON.parse(text) as { totals: { items_compared: number; changed: number } };
    if (totals.items_compared !== items || totals.changed !== differing) {
      throw new Error(`${JSON.stringify(totals)}: the measurement is discarded.`);
    }
    return ms;
  };
  const downloads = async (compare: (one: unknown, other: unknown) => readonly unknown[]) => {
    const startedAt = performance.now();
    const results: unknown[] = [];
    for (const run of [a, b]) {
      results.push(itemsOf(await get(reader, `${run}/result`), items));
    }
    const { length } = compare(results[0], results[1]);
    const ms = performance.now() - startedAt;
    if (length !== differing) {
      throw new Error(`${length} differences were found: the measurement is discarded.`);
    }
    return ms;
  };
  const samples: Record<"first" | "again" | "microdiff" | "patch", number[]> = {
    first: [],
    again: [],
    microdiff: [],
    patch: [],
  };
  for (let round = 0; round < rounds; round++) {
    a = await endedRun(reader, items, "Hello");
    b = await endedRun(reader, items, "Good morning");
    samples.first.push(await page());
    const once = await interleave(
      1,
      {
        again: page,
        microdiff: () => downloads((one, other) => microdiff(one as object[], other as object[])),
        patch: () =>
          downloads((one, other) => fastJsonPatch.compare(one as object[], other as object[])),
      },
      0,
    );
    samples.again.push(...once.again);
    samples.microdiff.push(...once.microdiff);
    samples.patch.push(...once.patch);
  }
  const first = median(samples.first);
  const least = Math.min(median(samples.microdiff), median(samples.patch));
  return {
    name: `comparison of two runs of ${items} items of which 1 % differ, first page`,
    unit: "ms",
    ours: spread(samples.first),
    beside: [
      { name: "the same again", value: spread(samples.again) },
      { name: "both results, and microdiff", value: spread(samples.microdiff) },
      { name: "both results, and fast-json-patch", value: spread(samples.patch) },
    ],
    targets: [
      atMost(`≤ ${PAGE_MS} ms`, first, PAGE_MS),
      atMost(`≤ ${BESIDE_DOWNLOADS} × both results`, first / least, BESIDE_DOWNLOADS),
    ],
  };
}

/** Documents of an ended run at the commit in its middle, beside today's. */
async function measurePastStates(reader: Reader, items: number, rounds: number): Promise<Figure> {
  const run = await endedRun(reader, items, "Hello");
  const { last_event_id: last } = JSON.parse(await get(reader, run)) as { last_event_id: string };
  const middle = `${Math.ceil(Number(last.split("-")[0]) / 2)}-0`;
  const timed = (path: string) => async () => {
    const startedAt = performance.now();
    await get(reader, path);
    return performance.now() - startedAt;
  };
  const documents = { execution: run, result: `${run}/result`, trace: `${run}/trace` };
  const entries: Record<string, () => Promise<number>> = {};
  for (const [name, path] of Object.entries(documents)) {
    entries[name] = timed(path);
    entries[`${name}, last`] = timed(`${path}?as_of_event=${last}`);
    entries[`${name}, middle`] = timed(`${path}?as_of_event=${middle}`);
  }
  const samples = await interleave(rounds * 3, entries, 3);
  const of = (name: string) => samples[name] ?? [];
  const beside = Object.keys(documents).flatMap((name) => [
    { name: `${name} today`, value: spread(of(name)) },
    { name: `${name} at the middle`, value: spread(of(`${name}, middle`)) },
    { name: `${name} at the last event`, value: spread(of(`${name}, last`)) },
  ]);
  return {
    name: `the result of a run of ${items} items as it was at its last event`,
    unit: "ms",
    ours: spread(of("result, last")),
    beside,
    targets: Object.keys(documents).flatMap((name) =>
      ["middle", "last"].map((when) =>
        atMost(
          `${name} at the ${when} ≤ ${BESIDE_READ} × today`,
          median(of(`${name}, ${when}`)) / median(of(name)),
          BESIDE_READ,
        ),
      ),
    ),
  };
}

/** Texts of 4,000 lines of which one in fifty differs. */
async function measureLines(): Promise<Figure> {
  const random = new SeededRandom(1);
  const lines = Array.from({ length: LINES }, (_, at) => `line ${at % 500} of ${at}\n`);
  const changed = lines.flatMap((line) =>
    random.chance(0.02) ? random.pick([[], ["new\n", line], ["other\n"]]) : [line],
  );
  const [a, b] = [lines.join(""), changed.join("")];
  const ours = lineDiff(a, b);
  const theirs = diffLines(a, b).reduce((sum, { added, count }) => sum + (added ? count : 0), 0);
  if (ours.lines_added !== theirs || theirs === 0) {
    throw new Error(`${ours.lines_added} and ${theirs} lines: the measurement is discarded.`);
  }
  const timed = (work: () => unknown) => () => {
    const startedAt = performance.now();
    work();
    return Promise.resolve(performance.now() - startedAt);
  };
  const samples = await interleave(LINE_ROUNDS, {
    ours: timed(() => lineDiff(a, b)),
    theirs: timed(() => diffLines(a, b)),
  });
  const ratio = median(samples.ours) / median(samples.theirs);
  return {
    name: `difference of two texts of ${LINES} lines, ${theirs} of them new`,
    unit: "ms",
    ours: spread(samples.ours),
    beside: [{ name: "the package diff", value: spread(samples.theirs) }],
    targets: [atMost(`≤ ${BESIDE_DIFF} × diff`, ratio, BESIDE_DIFF)],
  };
}

async function get({ client, headers }: Reader, path: string): Promise<string> {
  const url = `${client.baseUrl}/api/v1/executions/${path}`;
  const { status, text } = await httpCall("GET", url, { headers });
  if (status !== 200) {
    throw new Error(`Received ${status} for ${path}: ${text.slice(0, 300)}`);
  }
  return text;
}

function itemsOf(text: string, items: number): unknown {
  const { result } = JSON.parse(text) as { result: { items: { value: unknown }[] } };
  if (result.items.length !== items) {
    throw new Error(`The result has ${result.items.length} items: the measurement is discarded.`);
  }
  return result.items.map(({ value }) => value);
}

/** One item in a hundred has the greeting. */
async function endedRun({ client, workflow }: Reader, items: number, greeting: string) {
  const names = Array.from({ length: items }, (_, at) =>
    at % 100 === DIFFERING ? `${greeting} ${at}` : `person ${at}`,
  );
  const run = await client.call<{ id: string; status: string }>("POST", "/api/v1/executions", {
    body: { workflow, inputs: { names: { value: JSON.stringify(names) } } },
    headers: { prefer: "wait=60" },
  });
  if (run.status !== "completed") {
    throw new Error(`The run has status ${run.status}.`);
  }
  return run.id;
}

const GREETINGS = {
  name: "Bench: greetings",
  definition: {
    nodes: [
      { id: "names", type: "input/json", label: "Names", parameters: {} },
      {
        id: "line",
        type: "text/template",
        parameters: { template: "This is [name].", placeholders: [{ inputPort: "name" }] },
      },
      { id: "out", type: "output/text", parameters: { key: "out" } },
    ],
    connections: [
      { from: { node: "names", port: "item" }, to: { node: "line", port: "name" } },
      { from: { node: "line", port: "text" }, to: { node: "out", port: "text" } },
    ],
  },
};
