/** Known messages of workerd are removed from the output of tests; all others are printed. */
import { describe, expect, it } from "vitest";
import {
  ExpectedFaults,
  suppressExpectedFaults,
} from "../../support/node/suppress-expected-faults.ts";

const STACK = "\nstack: /w/workerd@2d5237f /w/workerd@3383c1f";

/** Messages of workerd 1.20260730.1 in a run of the worker tests. */
const KNOWN = [
  `exception = workerd/api/unsafe.c++:215: failed: jsg.Error: Application called abortAllDurableObjects().${STACK}`,
  `uncaught exception; exception = workerd/api/actor-state.c++:1178: failed: broken.outputGateBroken; jsg.Error: wake again${STACK}`,
  `exception = kj/async-io.c++:1713: disconnected: fixed-length pipe ended prematurely${STACK}`,
  `exception = kj/async-io.c++:669: disconnected: read end of pipe was aborted${STACK}`,
  `exception = workerd/api/streams/internal.c++:2563: disconnected: pump canceled${STACK}`,
  "uncaught exception; source = Uncaught (in promise); stack = TypeError: Can't read from request stream because client disconnected.\n",
  "uncaught exception; source = Uncaught (in promise); stack = Error: Network connection lost.\n",
  `e = kj/async-io-unix.c++:1293: failed: DNS lookup failed.; params.host = files.example; params.service = ; gai_strerror(status) = Name or service not known${STACK}`,
  'console warning; message = Called .text() on an HTTP body which does not appear to be text. The body\'s Content-Type is "font/ttf".\n',
  "NOSENTRY R2MultipartUpload::getUploadId called\n",
  "NOSENTRY SQLite alarm handler canceled with requestScheduledAlarm.; scheduledTime = 1795343027.703s\n",
  "uncaught exception; source = Uncaught (in promise); stack = Error: The font to check is not in the store.\n    at judge (file:///w/worker.mjs:1364:11)\n",
  "(node:4030) ExperimentalWarning: SQLite is an experimental feature and might change at any time\n(Use `node --trace-warnings ...` to show where the warning was created)\n",
  '{"level":"error","event":"rpc.refused","time":"2026-11-23T18:30:05.128Z","service":"edgeloom","object":"FontChecker","method":"check","code":"unknown_version","message":"FontChecker.check: .v is version 2, and this code knows version 1."}\n',
];

const UNKNOWN = [
  "(node:4030) ExperimentalWarning: WASI is an experimental feature and might change at any time\n",
  "uncaught exception; source = Uncaught (in promise); stack = Error: no such column: expired_at at offset 191: SQLITE_ERROR\n",
  "uncaught exception; source = Uncaught (in promise); stack = SyntaxError: Unexpected end of JSON input\n",
  `uncaught exception; exception = workerd/api/actor-state.c++:1178: failed: broken.outputGateBroken; jsg.Error: something else${STACK}`,
  `exception = kj/async-io.c++:1713: disconnected: another reason${STACK}`,
  `e = kj/async-io-unix.c++:1293: failed: DNS lookup failed.; params.host = api.openai.com; params.service = ${STACK}`,
  "NOSENTRY something new\n",
  '{"level":"error","event":"rpc.refused","time":"2026-11-23T18:30:05.128Z","service":"edgeloom","object":"Renderer","method":"render","code":"invalid","message":"Renderer.render: the argument is not an object."}\n',
  "*** Received signal #11: Segmentation fault\n",
  // It begins like a known message but is different.
  "note: exception = workerd/api/unsafe.c++:215: failed: jsg.Error: Application called abortAllDurableObjects().",
];

describe("a message of workerd", () => {
  it.each(KNOWN)("is suppressed if known: %s", (message) => {
    expect(new ExpectedFaults().has(message)).toBe(true);
  });

  it.each(UNKNOWN)("is printed otherwise: %s", (message) => {
    expect(new ExpectedFaults().has(message)).toBe(false);
  });

  it("that is an internal error is suppressed only after a known message with its id", () => {
    const faults = new ExpectedFaults();
    const again = (reference: string) =>
      `uncaught exception; source = Uncaught (in promise); stack = Error: internal error; reference = ${reference}\n`;
    expect(faults.has(again("tfgnqbfq"))).toBe(false);
    expect(
      faults.has(
        `e = kj/async-io-unix.c++:1293: failed: DNS lookup failed.; params.host = files.example; params.service = ${STACK}; sentryErrorContext = jsgInternalError; wdErrId = tfgnqbfq`,
      ),
    ).toBe(true);
    expect(faults.has(again("tfgnqbfq"))).toBe(true);
    expect(faults.has(again("ova38ac1"))).toBe(false);
  });

  it("that is unknown is written to the streams unchanged, also as bytes", () => {
    const written: unknown[] = [];
    const newStream = () =>
      ({
        write: (...args: unknown[]) => written.push(args) > 0,
      }) as unknown as NodeJS.WriteStream;
    const [stdout, stderr] = [newStream(), newStream()];
    suppressExpectedFaults(stdout, stderr);
    const bytes = new Uint8Array([1]);
    for (const chunk of [...KNOWN, ...UNKNOWN, bytes]) {
      expect(stderr.write(chunk)).toBe(true);
    }
    stderr.write(new TextEncoder().encode(KNOWN.at(-1)));
    stdout.write("last", "utf8");
    stderr.write(`${KNOWN[7] ?? ""}; wdErrId = tfgnqbfq`);
    stdout.write("uncaught exception; stack = Error: internal error; reference = tfgnqbfq\n");
    expect(written).toEqual([...UNKNOWN.map((message) => [message]), [bytes], ["last", "utf8"]]);
  });
});
