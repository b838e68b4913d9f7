/**
 * The sizes of expensive tests: the first figure for `npm test`, the second for the proof (`npm run test:proof`). The
 * proof runs all test files that import this again; `vitest.config.ts` finds them by the import. docs/testing.md lists
 * the other tests of the proof.
 */
export const IS_PROOF = process.env["PROOF"] !== undefined;

const SIZES = {
  /** Seeds of the engine alone in a hostile world. */
  engineSeeds: [100, 20_000],
  /** The same with credits: refusals, cancellations, lost and repeated ledger calls. */
  moneySeeds: [100, 10_000],
  /** Seeds of a run and two retries in a hostile world. */
  retrySeeds: [1_000, 20_000],
  /** Seeds of the run object over SQLite. */
  objectSeeds: [36, 2_000],
  /** The same with a deploy between any two steps. */
  deploySeeds: [15, 1_000],
  /** Seeds of runs that take results from a cache and from their own equal elements. */
  cacheSeeds: [6, 300],
  /** One in this many of the faults that are planted for them. */
  cacheFaultStride: [9, 1],
  /** Rows of exports that other programs read. */
  exportRows: [1_000, 10_000],
  /** Seeds of the object of a design template over SQLite. */
  templateSeeds: [30, 500],
  /** Orders of renders that wait for each other in one isolate. */
  renderTurnSeeds: [10, 500],
  /** Worlds of webhook deliveries. */
  webhookWorlds: [25, 800],
  /** One in this many of the engine's planted faults is tested. */
  mutationStride: [90, 1],
  /** The same for faults planted in the decisions about deploys. */
  deployFaultStride: [4, 1],
  /** One in this many of the written sounds is judged by other programs. */
  writtenSoundStride: [7, 1],
  /** One in this many of the cells of the providers' error matrix, and of the faults planted for it. */
  errorMatrixStride: [11, 1],
  errorMatrixFaultStride: [9, 1],
  /** Seeds of tasks whose provider lies. */
  lyingSeeds: [1_000, 15_000],
  /** Whole runs whose providers lie, and one in this many of the faults that are planted for them. */
  modelRuns: [24, 200],
  modelFaultStride: [8, 1],
  /** Seeds that find nothing without a planted fault. */
  soundSeeds: [25, 100],
  /** One in this many of the faults planted in a PDF/X-4 file is tested. */
  pdfx4Stride: [20, 1],
  /** Kills of the whole service while runs are live. */
  kills: [2, 50],
  /** Kills of the service while a batch runs and runs are retried. */
  batchKills: [1, 50],
  /** Kills of the service while runs take results from the cache and keep theirs. */
  cacheKills: [1, 50],
  /** Kills of the service while an upload is completed, after the first that cut it short. */
  uploadKills: [0, 2],
  /** Kills of the service while providers of models are called, each with seven calls, or three in the proof, at other moments. */
  providerKills: [1, 200],
  /** Nodes of sound during which the service is killed, and cancels at each of two moments. */
  soundKills: [1, 8],
  soundCancels: [1, 3],
  /** Kills while webhooks are delivered. */
  deliveryKills: [1, 10],
  /** Clients that follow the events of one run. */
  eventClients: [60, 1_000],
  /** Steps of the model of an embed token, and of its object in workerd. */
  embedTokenSteps: [4_000, 200_000],
  embedObjectSteps: [120, 2_000],
  /** Random cron expressions whose times two libraries compute too. */
  cronExpressions: [250, 6_000],
  /** One in this many of the statements of a move is where it is cut short. */
  moveStride: [23, 1],
  /** Kills of the service while an organization moves. */
  moveKills: [2, 50],
  /** Steps of the model of a batch's ledger. */
  batchSteps: [4_000, 100_000],
  /** Requests of the fuzzer of the API. */
  apiFuzz: [500, 20_000],
  /** Messages to an embedded page, of which many are hostile. */
  hostMessages: [3_000, 100_000],
  /** Requests of the fuzzers inside workerd, before each takes its part. */
  workerFuzz: [600, 30_000],
  /** Design documents that are changed at random and validated. */
  designDocuments: [200, 20_000],
  /** Pairs of revisions that are compared, and value sets for each compatible pair. */
  revisionPairs: [300, 2_000],
  valuesOfRevision: [5, 1_000],
  /** Of compatible pairs that are rendered, and of the value sets that each is rendered with, twice. */
  renderedRevisionPairs: [4, 20],
  renderedValueSets: [10, 1_000],
  /** Documents that a slow second implementation lays out too. */
  layoutWorlds: [25, 2_000],
  /** Length of hostile values and documents that are rendered, in percent of the whole. */
  badInputPercent: [2, 100],
  /** Documents that are changed at random, are still valid and are rendered. */
  renderedMutants: [1, 60],
  /** Random sequences of each script that another build of HarfBuzz shapes too, in each system font. */
  judgedSequences: [2, 150],
  /** One in this many of the cases of Unicode's test files. */
  unicodeStride: [50, 1],
  /** One in this many of the golden renders is compared. */
  goldenStride: [60, 1],
  /** Value sets whose characters are all accounted for, over 30 documents. */
  accountedSets: [30, 10_000],
  /** Of these 30 documents, printed for ten value sets each into one PDF. */
  collectedDocuments: [3, 30],
  /** One in this many of the pictures is resized and converted, and of the hostile drawings is read. */
  pictureStride: [6, 1],
  hostileDrawingStride: [4, 1],
  /** Packets of each codec of sound and pictures, of which some are damaged. */
  mutatedPackets: [1_000, 5_000],
  /** Documents of the property test of the SVG cleaner. */
  svgDocuments: [500, 20_000],
  /** One in this many of the fonts that an upload refuses is printed with. */
  pinnedFontStride: [12, 1],
  /** Objects of a PDF that is merged. */
  mergedObjects: [3_000, 100_000],
  /** Drawings that are mutated and imported. */
  mutatedDrawings: [300, 20_000],
  /** One in this many of the harmless drawings is imported and compared with the picture of resvg. */
  harmlessStride: [12, 1],
  /** Drawings of 2048 px, of each kind. */
  largeDrawings: [1, 100],
  /** Pictures that are damaged and decoded. */
  damagedPictures: [500, 30_000],
  /** Bytes that are changed in small JPEGs of twenty kinds. */
  flippedJpegs: [200, 60_000],
  /** The same in WebPs and AVIFs. */
  flippedWebps: [200, 30_000],
  flippedAvifs: [120, 10_000],
  /** Bytes between the cuts of large pictures. */
  cutStride: [40_000, 1_000],
  /** Random places at which each small sound or video is cut. */
  mediaCuts: [8, 1_000],
  /** Random parts that are cut out of each sound and out of each video. */
  soundSegments: [2, 40],
  videoSegments: [2, 100],
  /** One in this many of the films whose parts ffmpeg judges. */
  judgedFilmStride: [6, 1],
  /** Small fonts that are damaged and inspected. */
  damagedSmallFonts: [1_000, 300_000],
  damagedRealFonts: [200, 8_000],
  damagedOutlines: [1_000, 80_000],
  triedFonts: [30, 2_000],
  /** Of twenty executor objects in one isolate, the number with the largest admitted work. */
  largestWork: [4, 20],
  /** Parts of 8 MiB of an upload; up to 16 MB are uploaded in one request. */
  uploadParts: [6, 32],
  /** Size of files of rows that are streamed. */
  longFileMegabytes: [12, 250],
  /** Calls of the simulated queue of docs/scaling.md. */
  queueCalls: [150_000, 400_000],
  /** Clips of a timeline. */
  timelineClips: [24, 2_000],
  /** Texts of each of the 40 sizes of a QR code. */
  symbolTexts: [1, 3],
  /** Steps of the ledger compared with its reference. */
  ledgerSteps: [10_000, 100_000],
  /** Changes after which the size of the widget's frame is compared with its content. */
  widgetResizes: [10, 1_000],
  /** Frames of the SDK that are opened and destroyed. */
  destroyedFrames: [8, 200],
  /** Executions of a reader's fuzzer, per hundred of its own number. */
  readerFuzzPercent: [20, 2_000],
} as const satisfies Readonly<Record<string, readonly [small: number, whole: number]>>;

/** The part that this run executes. */
export function sizeOf(name: keyof typeof SIZES): number {
  return SIZES[name][IS_PROOF ? 1 : 0];
}

/** Number of executions of a reader's fuzzer; `usual` is its base. */
export function executionsOf(usual: number): number {
  return Math.ceil((usual * sizeOf("readerFuzzPercent")) / 100);
}
