/** The cost of one run in the units that Cloudflare bills. */
export interface Operations {
  /** Requests from outside to a Worker. */
  readonly http: number;
  /** Calls to objects and alarms, by class. */
  readonly objectRequests: Readonly<Record<string, number>>;
  /** GB-seconds of objects at 128 MB, while a call was under way on this machine. */
  readonly objectGbSeconds: number;
  /** In objects' SQLite. Setting an alarm writes one row. */
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly d1RowsRead: number;
  readonly d1RowsWritten: number;
  /** Messages; each is written, read and deleted. */
  readonly queueMessages: number;
  readonly queueInvocations: number;
  /** Puts, lists and multipart; gets and heads; deletes are free. */
  readonly r2ClassA: number;
  readonly r2ClassB: number;
  /** Kept after the run has ended, in objects and in R2. */
  readonly objectBytes: number;
  readonly r2Bytes: number;
  /** Of both Workers together, on this machine. */
  readonly cpuMs: number;
}

/** The file that `npm run bench:operations` writes. */
export interface Measured {
  readonly taken: string;
  readonly commit: string;
  readonly machine: string;
  readonly shapes: readonly { readonly name: string; readonly operations: Operations }[];
  readonly workspace: { readonly admitMs: number; readonly closeMs: number };
}

/** The response of the counting Worker. */
export interface Counts {
  readonly http: number;
  readonly objects: Readonly<
    Record<
      string,
      {
        readonly requests: Readonly<Record<string, number>>;
        readonly rowsRead: number;
        readonly rowsWritten: number;
        readonly alarmsSet: number;
        /** By statement: number of executions, and rows read and written. */
        readonly statements: Readonly<
          Record<string, { readonly runs: number; readonly read: number; readonly written: number }>
        >;
        readonly bodyMs: Readonly<Record<string, readonly number[]>>;
        readonly activeMs: number;
      }
    >
  >;
  readonly d1: {
    readonly queries: number;
    readonly rowsRead: number;
    readonly rowsWritten: number;
    readonly byDatabase: Readonly<Record<string, number>>;
  };
  readonly r2: Readonly<Record<string, number>>;
  readonly queueMessages: readonly number[];
  readonly queueInvocations: readonly number[];
  /** Bytes of each object's database, by `class id`. */
  readonly sizes: Readonly<Record<string, number>>;
}

const CLASS_A = ["put", "list", "createMultipartUpload"];
const CLASS_B = ["get", "head"];
/** Billed independently of an object's actual memory. */
const OBJECT_GB = 0.128;

/** The counts of both Workers as operations of one of `runs` runs. The caller determines the bytes. */
export function operationsOf(
  workers: readonly Counts[],
  runs: number,
  { objectBytes, r2Bytes, cpuMs }: Pick<Operations, "objectBytes" | "r2Bytes" | "cpuMs">,
): Operations {
  const objects = workers.flatMap((counts) => Object.entries(counts.objects));
  const each = (numbers: readonly number[], digits = 2) =>
    Number((numbers.reduce((sum, number) => sum + number, 0) / runs).toFixed(digits));
  const stored = (names: readonly string[]) =>
    each(workers.flatMap(({ r2 }) => names.map((name) => r2[name] ?? 0)));
  return {
    http: each(workers.map(({ http }) => http)),
    objectRequests: Object.fromEntries(
      objects.map(([name, { requests }]) => [name, each(Object.values(requests))]),
    ),
    // A small run keeps its objects for milliseconds only.
    objectGbSeconds: each(
      objects.map(([, { activeMs }]) => (activeMs * OBJECT_GB) / 1000),
      5,
    ),
    rowsRead: each(objects.map(([, of]) => of.rowsRead)),
    rowsWritten: each(objects.map(([, of]) => of.rowsWritten + of.alarmsSet)),
    d1RowsRead: each(workers.map(({ d1 }) => d1.rowsRead)),
    d1RowsWritten: each(workers.map(({ d1 }) => d1.rowsWritten)),
    queueMessages: each(workers.flatMap(({ queueMessages }) => queueMessages)),
    queueInvocations: each(workers.map(({ queueInvocations }) => queueInvocations.length)),
    r2ClassA: stored(CLASS_A),
    r2ClassB: stored(CLASS_B),
    objectBytes: Math.round(objectBytes / runs),
    r2Bytes: Math.round(r2Bytes / runs),
    cpuMs: each([cpuMs]),
  };
}
