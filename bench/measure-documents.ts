import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { atMost, type Figure, type Target } from "./figure.ts";
import { median, spread } from "./statistics.ts";

const PEERS = fileURLToPath(new URL("peers/documents", import.meta.url));
const FONT = fileURLToPath(
  new URL(
    "../node_modules/@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf",
    import.meta.url,
  ),
);
const TIME_MAX_MS = 180_000;

/** Libraries of JavaScript that embed the font, two that are compiled, and a browser. */
const LIBRARIES = [
  { id: "pdfkit", name: "pdfkit", packageName: "pdfkit", isJavaScript: true },
  { id: "pdfmake", name: "pdfmake", packageName: "pdfmake", isJavaScript: true },
  { id: "react-pdf", name: "react-pdf", packageName: "@react-pdf/renderer", isJavaScript: true },
  { id: "pdfme", name: "pdfme", packageName: "@pdfme/generator", isJavaScript: true },
  {
    id: "typst",
    name: "Typst, compiled for this machine",
    packageName: "@myriaddreamin/typst-ts-node-compiler",
    isJavaScript: false,
  },
  { id: "forme", name: "Forme, in wasm", packageName: "@formepdf/core", isJavaScript: false },
  { id: "chromium", name: "Chromium's print", packageName: null, isJavaScript: false },
] as const;

interface Job {
  /** Milliseconds of processor time of each warm document. */
  readonly samples: readonly number[];
  readonly bytes: number;
}

interface Measured {
  readonly invoice: Job;
  readonly table: Job;
}

/**
 * An invoice of 20 fields and a table of 300 rows as PDFs, in milliseconds of processor time, each library in a process
 * of its own, with one font that is embedded. Peers that are not installed are left out, with a line that says how to
 * install them.
 */
export async function measureDocuments(
  say = (line: string): void => void process.stderr.write(`${line}\n`),
): Promise<Figure[]> {
  const ours = await measure("edgeloom");
  const peers: ((typeof LIBRARIES)[number] & { readonly measured: Measured })[] = [];
  for (const library of LIBRARIES) {
    if (library.packageName === null) {
      // The browser of the tests is for one kind of processor, and needs Linux.
      const measured = await measure(library.id).catch(() => undefined);
      if (measured === undefined) {
        say(`${library.name} is not measured: the browser of the tests does not run here`);
      } else {
        peers.push({ ...library, measured });
      }
    } else if (existsSync(`${PEERS}/node_modules/${library.packageName}/package.json`)) {
      peers.push({ ...library, measured: await measure(library.id) });
    } else {
      say(
        `${library.name} is not measured: npm install --ignore-scripts --prefix bench/peers/documents`,
      );
    }
  }
  const figure = (name: string, job: keyof Measured, targets: Target[]): Figure => ({
    name,
    unit: "ms of processor time",
    ours: spread(ours[job].samples),
    beside: peers.map((peer) => ({ name: peer.name, value: spread(peer.measured[job].samples) })),
    targets,
    note: `${ours[job].bytes} bytes${peers.map((peer) => `, ${peer.name} ${peer.measured[job].bytes}`).join("")}`,
  });
  const [invoiceMs, tableMs] = [median(ours.invoice.samples), median(ours.table.samples)];
  const invoiceTargets = [atMost("<= 3 ms", invoiceMs, 3)];
  const tableTargets = [atMost("<= 25 ms", tableMs, 25)];
  const medians = peers
    .filter(({ isJavaScript }) => isJavaScript)
    .map(({ measured }) => median(measured.invoice.samples));
  if (medians.length > 0) {
    const fastest = Math.min(...medians);
    invoiceTargets.push(
      atMost("<= 1/2 of the fastest JavaScript library", invoiceMs / fastest, 0.5),
      atMost(
        "bytes <= 1.1 x the smallest file",
        ours.invoice.bytes / Math.min(...peers.map(({ measured }) => measured.invoice.bytes)),
        1.1,
      ),
    );
  }
  const pdfmake = peers.find(({ id }) => id === "pdfmake");
  if (pdfmake !== undefined) {
    const ratio = tableMs / median(pdfmake.measured.table.samples);
    tableTargets.push(atMost("<= 1/3 of pdfmake", ratio, 1 / 3));
  }
  return [
    figure("an invoice with 20 fields as PDF, warm", "invoice", invoiceTargets),
    figure("a table of 300 rows as PDF, warm", "table", tableTargets),
  ];
}

async function measure(library: string): Promise<Measured> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [`${PEERS}/measure.mjs`, library, FONT],
    { timeout: TIME_MAX_MS, maxBuffer: 1 << 20 },
  );
  const line = stdout.trim().split("\n").at(-1) ?? "";
  return JSON.parse(line) as Measured;
}
