/**
 * Keeps expected messages of workerd about faults that Worker tests cause on purpose out of their output. Each entry is
 * one known message; all others are printed. The pool writes each message of workerd to this process's stdout or stderr
 * in one call, and so do Node and Vite.
 */

/** An address of a pump, a pipe or a position in workerd's sources: they differ between versions. */
const IN = String.raw`[\w/.+-]+:\d+`;
const UNCAUGHT = "uncaught exception; source = Uncaught \\(in promise\\); stack = ";

const EXPECTED: readonly { readonly message: RegExp; readonly because: string }[] = [
  {
    message: new RegExp(
      `^exception = ${IN}: failed: jsg\\.Error: Application called abortAllDurableObjects\\(\\)\\.`,
    ),
    because: "Tests of crashes abort all objects.",
  },
  {
    message: new RegExp(
      `^uncaught exception; exception = ${IN}: failed: broken\\.outputGateBroken; jsg\\.Error: wake again\\n`,
    ),
    because: '`state.abort("wake again")` makes an object read its rows again.',
  },
  {
    message: new RegExp(
      `^exception = ${IN}: disconnected: (?:fixed-length pipe ended prematurely|read end of pipe was aborted|pump canceled)\\n`,
    ),
    because: "Clients that go away in the middle of an upload or a download.",
  },
  {
    message: new RegExp(
      `^${UNCAUGHT}(?:TypeError: Can't read from request stream because client disconnected\\.|Error: Network connection lost\\.)`,
    ),
    because: "The same, as the Worker that read or wrote hears it.",
  },
  {
    message: new RegExp(
      `^e = ${IN}: failed: DNS lookup failed\\.; params\\.host = [\\w.-]+\\.(?:example|invalid|test);`,
    ),
    because: "Names that are reserved for having no address (RFC 2606).",
  },
  {
    message:
      /^console warning; message = Called \.text\(\) on an HTTP body which does not appear to be text\./,
    because: "`call` in api-caller.ts reads every answer as text, that of a picture too.",
  },
  {
    message: /^A header value for "x-correlation-id" contains non-ASCII characters: /,
    because: "A test sends one.",
  },
  {
    message:
      /^NOSENTRY (?:R2MultipartUpload::getUploadId called|SQLite alarm (?:handler canceled with requestScheduledAlarm|overdue, running despite AlarmManager mismatch))/,
    because: "workerd's notes to its own makers.",
  },
  {
    message:
      /^\(node:\d+\) ExperimentalWarning: SQLite is an experimental feature and might change at any time\n/,
    because: "The simulated objects keep their rows in Node's SQLite.",
  },
  {
    message:
      /^Sourcemap for "[^"]*\/node_modules\/saxes\/saxes\.js" points to a source file outside its package: /,
    because: "Vite says so of a package that ships a source map without its source.",
  },
  {
    message: new RegExp(
      `^${UNCAUGHT}Error: (?:The font to check is not in the store|A task of ws_0+1 reached for a key of another owner)\\.\\n`,
    ),
    because: "Refusals of the font checker that its tests expect.",
  },
  {
    message: new RegExp(`^${UNCAUGHT}RefusedCallError: `),
    because: "Tests call objects and entry points with garbage and with future versions.",
  },
  {
    message:
      /^\{"level":"error","event":"rpc\.refused",[^\n]*"object":"(?:FontChecker|Renderer)","method":"\w+","code":"unknown_version",[^\n]*\n?$/,
    because: "The Workers of these entry points log such a call of a test too.",
  },
  {
    message: new RegExp(`^${UNCAUGHT}FutureDatabaseError: `),
    because: "Tests wake objects over the rows of newer code.",
  },
  {
    message: new RegExp(
      `^${UNCAUGHT}Error: (?:database or disk is full|The run could not be stored\\.)\\n`,
    ),
    because: "Tests let the disk fill up beneath a run.",
  },
];

/** After a failed lookup workerd reports an internal error again, with this reference. */
const REFERENCES = /(?:reference|wdErrId) = (\w+)/g;

/** Whether a message of workerd is a known one. Remembers references of later messages. */
export class ExpectedFaults {
  readonly #references = new Set<string>();

  has(message: string): boolean {
    const named = [...message.matchAll(REFERENCES)].map(([, reference]) => reference ?? "");
    if (EXPECTED.some((known) => known.message.test(message))) {
      named.forEach((reference) => this.#references.add(reference));
      return true;
    }
    return (
      message.startsWith("uncaught exception; ") &&
      named.length > 0 &&
      named.every((reference) => this.#references.has(reference))
    );
  }
}

/** Removes the known messages from everything written to the streams from now on. */
export function suppressExpectedFaults(...streams: readonly NodeJS.WriteStream[]): void {
  // One for all streams: a message on one may refer to a message on another.
  const faults = new ExpectedFaults();
  for (const stream of streams) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]) => faults.has(textOf(args[0])) || write(...args);
  }
}

/** Messages of threads arrive as bytes. */
function textOf(chunk: unknown): string {
  return chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : String(chunk);
}
