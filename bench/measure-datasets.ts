import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeXlsx } from "hucre";
import { Log, LogLevel, Miniflare } from "miniflare";
import { bundleWorker } from "../scripts/bundle-worker.ts";
import { freePort } from "../scripts/free-port.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { median, spread } from "./statistics.ts";

const CSV_BYTES = 50_000_000;
const JSON_BYTES = 30_000_000;
const XLSX_ROWS = 100_000;
const ROUNDS = 3;

/**
 * Profiles of stored files in workerd, beside other libraries that read the same file in the same isolate, from the
 * request to the response.
 */
export async function measureDatasets(directory: string): Promise<Figure[]> {
  const worker = fileURLToPath(new URL("peers/datasets-worker.ts", import.meta.url));
  const instance = new Miniflare({
    host: "127.0.0.1",
    port: await freePort(),
    cf: false,
    logRequests: false,
    log: new Log(LogLevel.ERROR),
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    modules: [...(await bundleWorker(worker))],
    r2Buckets: ["FILES"],
    r2Persist: join(directory, "files"),
  });
  try {
    const origin = await instance.ready;
    return [...(await measureCsv(origin)), await measureXlsx(origin), await measureJson(origin)];
  } finally {
    await instance.dispose();
  }
}

async function measureCsv(origin: URL): Promise<Figure[]> {
  const rows = ["id,name,city,price,day,flag,note,quantity"];
  for (let i = 0, bytes = 0; bytes < CSV_BYTES; i++) {
    const row = `${i},"Name ${i % 1_000}, Inc",City ${i % 97},${i % 10_000}.${10 + (i % 90)},2024-0${1 + (i % 9)}-1${i % 9},${i % 2 === 0},"said ""hi"" ${i}",${i % 50}`;
    rows.push(row);
    bytes += row.length + 1;
  }
  const count = rows.length - 1;
  const text = `${rows.join("\n")}\n`;
  await store(origin, "rows.csv", text);
  const ms = await interleave(
    ROUNDS,
    {
      plain: timed(origin, "rows.csv", "plain", text.length),
      bytes: timed(origin, "rows.csv", "bytes", text.length),
      tokenize: timed(origin, "rows.csv", "tokenize", count),
      profile: timed(origin, "rows.csv", "profile", count),
      papaparse: timed(origin, "rows.csv", "papaparse", count),
    },
    1,
  );
  const floor = median(ms.plain);
  const beside = [
    { name: "reading and decoding the bytes, chunk by chunk", value: spread(ms.plain) },
    { name: "the same through our own buffer", value: spread(ms.bytes) },
    { name: "PapaParse tokenising alone", value: spread(ms.papaparse) },
  ];
  return [
    {
      name: "CSV of 50 MB, tokenised and counted",
      unit: "ms",
      ours: spread(ms.tokenize),
      beside,
      targets: [atMost("<= 1.3 x reading the bytes", median(ms.tokenize) / floor, 1.3)],
    },
    {
      name: "CSV of 50 MB, full profile",
      unit: "ms",
      ours: spread(ms.profile),
      beside,
      targets: [
        atMost("<= 2 x reading the bytes", median(ms.profile) / floor, 2),
        atMost("< PapaParse tokenising", median(ms.profile) / median(ms.papaparse), 1),
      ],
    },
  ];
}

async function measureXlsx(origin: URL): Promise<Figure> {
  const rows = Array.from({ length: XLSX_ROWS }, (_, i) => [
    i,
    `Name ${i % 5_000}`,
    `City ${i % 97}`,
    i / 100,
    new Date(Date.UTC(2024, 0, 1 + (i % 365))),
    i % 2 === 0,
    `note ${i}`,
    i % 50,
  ]);
  const header = ["id", "name", "city", "price", "day", "flag", "note", "quantity"];
  await store(
    origin,
    "rows.xlsx",
    await writeXlsx({ sheets: [{ name: "Rows", rows: [header, ...rows] }] }),
  );
  const ms = await interleave(
    ROUNDS,
    {
      profile: timed(origin, "rows.xlsx", "profile", XLSX_ROWS),
      hucre: timed(origin, "rows.xlsx", "hucre", XLSX_ROWS),
      sheetjs: timed(origin, "rows.xlsx", "sheetjs", XLSX_ROWS),
    },
    1,
  );
  return {
    name: "XLSX of 100,000 rows, full profile with every cap",
    unit: "ms",
    ours: spread(ms.profile),
    beside: [
      { name: "hucre reading it, without caps", value: spread(ms.hucre) },
      { name: "SheetJS reading it", value: spread(ms.sheetjs) },
    ],
    targets: [
      atMost("<= 1.1 x hucre", median(ms.profile) / median(ms.hucre), 1.1),
      atMost("<= 0.5 x SheetJS", median(ms.profile) / median(ms.sheetjs), 0.5),
    ],
  };
}

async function measureJson(origin: URL): Promise<Figure> {
  const items: string[] = [];
  for (let i = 0, bytes = 0; bytes < JSON_BYTES; i++) {
    const item = JSON.stringify({
      id: i,
      name: `Name ${i}`,
      city: `City ${i % 97}`,
      price: i / 100,
      tags: ["a", "b"],
      flag: i % 2 === 0,
      note: `said "hi" and some more words ${i}`,
    });
    items.push(item);
    bytes += item.length + 1;
  }
  await store(origin, "rows.json", `[${items.join(",")}]`);
  const ms = await interleave(
    ROUNDS,
    {
      profile: timed(origin, "rows.json", "profile", items.length),
      parse: timed(origin, "rows.json", "parse", items.length),
    },
    1,
  );
  return {
    name: "JSON array of 30 MB, full profile in flat memory",
    unit: "ms",
    ours: spread(ms.profile),
    beside: [{ name: "JSON.parse of the whole, counting it", value: spread(ms.parse) }],
    targets: [atMost("<= 1.6 x JSON.parse", median(ms.profile) / median(ms.parse), 1.6)],
  };
}

async function store(origin: URL, key: string, content: string | Uint8Array): Promise<void> {
  const response = await fetch(new URL(key, origin), {
    method: "PUT",
    body: Buffer.from(content as string),
  });
  if (!response.ok) {
    throw new Error(`${key} was not stored: ${response.status}.`);
  }
}

/** Milliseconds of one read. Throws if it counts anything but `expected`. */
function timed(origin: URL, key: string, way: string, expected: number): () => Promise<number> {
  return async () => {
    const begunAt = performance.now();
    const response = await fetch(new URL(`${key}?way=${way}`, origin));
    const counted = await response.text();
    const ms = performance.now() - begunAt;
    if (counted !== String(expected)) {
      throw new Error(`${way} of ${key} counted ${counted.slice(0, 200)}, not ${expected}.`);
    }
    return ms;
  };
}
