import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
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

type Library = (typeof LIBRARIES)[number];
/** With its version in its name. */
type Peer = Omit<Library, "name"> & { readonly name: string; readonly measured: Measured };

/**
 * An invoice of 20 fields and a table of 300 rows as PDFs, in milliseconds of processor time, each library in a process
 * of its own, with one font that is embedded. The rows name peers that are not installed or do not run, and a line says
 * how to install them.
 */
export async function measureDocuments(
  say = (line: string): void => void process.stderr.write(`${line}\n`),
): Promise<Figure[]> {
  const ours = await measure("edgeloom");
  const peers: Peer[] = [];
  const missing: string[] = [];
  for (const library of LIBRARIES) {
    const peer = await peerOf(library).catch((error: unknown) => {
      const [reason] = error instanceof Error ? error.message.split("\n", 1) : [];
      say(`${library.name} is not measured: ${reason ?? "it does not run here"}`);
      missing.push(library.name);
    });
    if (peer !== undefined) {
      peers.push(peer);
    }
  }
  const unmeasured = missing.length === 0 ? "" : `; not measured: ${missing.join(", ")}`;
  const figure = (name: string, job: keyof Measured, targets: Target[]): Figure => ({
    name,
    unit: "ms of processor time",
    ours: spread(ours[job].samples),
    beside: peers.map((peer) => ({ name: peer.name, value: spread(peer.measured[job].samples) })),
    targets,
    note: `${ours[job].bytes} bytes${peers.map((peer) => `, ${peer.name} ${peer.measured[job].bytes}`).join("")}${unmeasured}`,
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

/** Throws if the library is not installed, or cannot print here: the browser needs Linux and one kind of processor. */
async function peerOf(library: Library): Promise<Peer> {
  const { id, name, packageName } = library;
  if (packageName === null) {
    return { ...library, measured: await measure(id) };
  }
  const path = `${PEERS}/node_modules/${packageName}/package.json`;
  if (!existsSync(path)) {
    throw new Error("npm install --ignore-scripts --prefix bench/peers/documents");
  }
  const { version } = JSON.parse(await readFile(path, "utf8")) as { version: string };
  return { ...library, name: `${name} ${version}`, measured: await measure(id) };
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
