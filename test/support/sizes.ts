/**
 * How much the costly tests do: the first figure in `npm test`, the second in the proof
 * (`npm run test:proof`). A test file that imports this is run again by the proof, whole;
 * `vitest.config.ts` finds it by the import. docs/testing.md says what else the proof runs.
 */
export const IS_PROOF = process.env["PROOF"] !== undefined;

const SIZES = {
  /** Seeds of the engine alone in a hostile world. */
  engineSeeds: [200, 20_000],
  /** The same with money: refusals, cancellations, ledger calls that are lost or come twice. */
  moneySeeds: [150, 10_000],
  /** Seeds of the run object over SQLite. */
  objectSeeds: [100, 4_000],
  /** The same with a deploy between any two steps. */
  deploySeeds: [50, 2_000],
  /** Worlds of webhook deliveries. */
  webhookWorlds: [50, 800],
  /** Every so many-th of the faults planted in the engine is looked for. */
  mutationStride: [30, 1],
  /** Kills of the whole service while runs go on. */
  kills: [2, 50],
  /** Kills while webhooks are delivered. */
  deliveryKills: [2, 20],
  /** Clients that follow the events of one run. */
  eventClients: [60, 1_000],
  /** Polls of one run. */
  polls: [1_000, 100_000],
  /** Requests of the fuzzer of the API. */
  apiFuzz: [500, 40_000],
  /** Requests of the fuzzers inside workerd, before each takes its share. */
  workerFuzz: [600, 30_000],
  /** Documents of the property test of the SVG cleaner. */
  svgDocuments: [500, 20_000],
  /** Drawings of 2048 px, of each kind. */
  largeDrawings: [1, 100],
  /** Pictures that are damaged and decoded. */
  damagedPictures: [500, 60_000],
  /** Small fonts that are damaged and inspected, and so on. */
  damagedSmallFonts: [1_000, 300_000],
  damagedRealFonts: [200, 8_000],
  damagedOutlines: [1_000, 80_000],
  triedFonts: [30, 2_000],
  /** Of twenty executor objects in one isolate, those with the largest work that is admitted. */
  largestWork: [4, 20],
  /** A file that is uploaded while the Workers' memory is watched; more than the 64 MB that they may hold. */
  uploadMegabytes: [100, 250],
  /** Parts of 8 MiB of an upload; up to 16 MB go as one. */
  uploadParts: [6, 32],
  /** Files of rows that are read without being held. */
  longFileMegabytes: [12, 250],
  /** Calls of the simulated queue of docs/scaling.md. */
  queueCalls: [150_000, 400_000],
  /** Steps of the ledger beside its reference. */
  ledgerSteps: [10_000, 100_000],
  /** Executions of a reader's fuzzer, for each hundred that it names. */
  readerFuzzPercent: [20, 2_000],
} as const satisfies Readonly<Record<string, readonly [small: number, whole: number]>>;

/** How much of it this run does. */
export function sizeOf(name: keyof typeof SIZES): number {
  return SIZES[name][IS_PROOF ? 1 : 0];
}

/** How often a fuzzer runs its reader, of which `usual` is the measure. */
export function executionsOf(usual: number): number {
  return Math.ceil((usual * sizeOf("readerFuzzPercent")) / 100);
}
