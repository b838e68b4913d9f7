/**
 * Every provider × every row of the error table (docs/contract/models.md#calls) × what it must do to a task: the code, the
 * attempts, the requests that were sent, what the trace counts, the charge, the pauses, the places at the gate, and what
 * may be said about it. The servers are scripted; everything above them is the service's own, from the executor down.
 */
import { PROVIDER_KINDS } from "../../../src/contracts/models/provider.ts";
import { ATTEMPTS_MAX } from "../../../src/engine/step/retry-delay.ts";
import type { TaskClock, TaskEnd } from "./model-task.ts";
import { ModelTask } from "./model-task.ts";
import { type MatrixRow, openSubjects, SECRETS, type Subject } from "./matrix-subjects.ts";

export interface MatrixCell {
  readonly name: string;
  /** What is not as it must be; empty if all is. */
  readonly problems: () => Promise<readonly string[]>;
}

export interface Matrix {
  readonly cells: readonly MatrixCell[];
  readonly close: () => void;
}

/** Starts the scripted servers. */
export async function openMatrix(clock: TaskClock): Promise<Matrix> {
  const { subjects, close } = await openSubjects(clock);
  const missing = PROVIDER_KINDS.filter((kind) => !subjects.some((one) => one.kind === kind));
  if (missing.length > 0) {
    throw new Error(`The matrix has no calls of ${missing.join(", ")}.`);
  }
  return { cells: subjects.flatMap((subject) => cellsOf(subject, clock)), close };
}

interface Outcome extends Omit<TaskEnd, "reserved"> {
  /** Requests for work that the server received. */
  readonly requests: number;
  readonly pauses: readonly number[];
  /** After each failed attempt, the wait that its provider asked for. */
  readonly waits: readonly (number | null)[];
  /** Places at the gate that the task still has. */
  readonly held: number;
}

function cellsOf(subject: Subject, clock: TaskClock): readonly MatrixCell[] {
  const cell = (
    what: string,
    expected: Outcome,
    plan: () => void,
    lost: readonly number[] = [],
  ): MatrixCell => ({
    name: `${subject.kind}, ${subject.call}: ${what}`,
    problems: async () => {
      await clock.reset();
      subject.begin();
      plan();
      const task = new ModelTask(subject.world());
      let end: Omit<TaskEnd, "reserved">;
      try {
        const { reserved: _reserved, ...ended } = await task.toEnd(lost);
        end = ended;
      } catch (error) {
        return [`it does not end: ${String(error)}`];
      }
      await clock.settled();
      const actual: Outcome = {
        ...end,
        requests: subject.requests(),
        pauses: task.pauses,
        waits: task.waits,
        held: task.gate.placesHeld,
      };
      return [
        ...differences(actual, expected),
        ...subject.leaks().map((leak) => `another origin received ${leak}`),
        ...task.said.filter((line) => SECRETS.test(line)).map((line) => `it says ${line}`),
      ];
    },
  });
  const { price } = subject;
  const made = (attempts: number, requests: number, repeats: number): Outcome => ({
    code: null,
    attempts,
    milliCredits: price,
    calls: requests,
    repeats,
    requests,
    pauses: [],
    waits: [],
    held: 0,
  });
  return [
    cell("works", made(1, 1, 0), () => {}),
    ...subject.rows.flatMap((row) => [
      cell(`${row.name}, always`, failedFor(subject, row), () => {
        subject.fail(always(row));
      }),
      ...(row.tries === "no" || row.isForGood === true
        ? []
        : [
            cell(
              `${row.name}, once`,
              {
                ...made(
                  row.isPoll === true ? 1 : 2,
                  row.at === "work" ? 2 : 1,
                  isLost(subject, row) ? 1 : 0,
                ),
                ...askedFor(row, row.isPoll === true ? 0 : 1),
              },
              () => {
                subject.fail([row]);
              },
            ),
          ]),
    ]),
    ...subject.specials.map(({ name, plan }) => cell(name, made(1, 1, 0), plan)),
    ...sequences(subject, made).map(({ rows, expected }) =>
      cell(`${rows.map(({ name }) => name).join(", then ")}`, expected, () => {
        subject.fail(rows);
      }),
    ),
    ...lostWorkers(subject, made).map(([name, lost, expected]) =>
      cell(name, expected, () => {}, lost),
    ),
  ];
}

function* always(row: MatrixRow): Generator<MatrixRow> {
  for (;;) {
    yield row;
  }
}

/** Timeouts before and after a failure of another kind: a call is repeated once after one, and not after a second. */
function sequences(
  { rows }: Subject,
  made: (attempts: number, requests: number, repeats: number) => Outcome,
): readonly { readonly rows: readonly MatrixRow[]; readonly expected: Outcome }[] {
  const failed = rows.find(({ name }) => name === "500" || name === "3040");
  const late = rows.find(({ code, at }) => code === "PROVIDER_TIMEOUT" && at === "work");
  if (failed === undefined || late === undefined) {
    return [];
  }
  const over = { code: late.code, milliCredits: 0, waits: [null, null, null] };
  return [
    { rows: [failed, late], expected: { ...made(3, 3, 1), waits: [null, null] } },
    { rows: [late, failed], expected: { ...made(3, 3, 2), waits: [null, null] } },
    { rows: [failed, late, late], expected: { ...made(3, 3, 1), ...over } },
    { rows: [late, failed, late], expected: { ...made(3, 3, 2), ...over } },
  ];
}

/** A failure that never ends. */
function failedFor(subject: Subject, row: MatrixRow): Outcome {
  const lost = isLost(subject, row);
  const all = lost && subject.asks !== "with keys" ? 2 : ATTEMPTS_MAX;
  const attempts = row.tries === "no" ? 1 : row.tries === "once" ? 2 : all;
  const requests = row.at === "work" ? attempts : 1;
  return {
    code: row.code,
    attempts,
    milliCredits: 0,
    calls: requests,
    repeats: lost ? requests - 1 : 0,
    requests,
    ...askedFor(row, attempts),
    held: 0,
  };
}

/** Whether nobody knows after a failure if the provider has done, or begun, the work. */
function isLost({ asks }: Subject, { at, code, isLost: lost = false }: MatrixRow): boolean {
  // Without a usable id nobody knows whether there is a job.
  return at === "work" && (lost || (asks === "for jobs" && code === "PROVIDER_BAD_OUTPUT"));
}

/** What so many failures ask for: a pause of the workspace, and a wait of the task. */
function askedFor(
  { retryAfterMs }: MatrixRow,
  failures: number,
): Pick<Outcome, "pauses" | "waits"> {
  const waits = Array.from({ length: failures }, () => retryAfterMs ?? null);
  return { waits, pauses: waits.filter((ms) => ms !== null && ms > 0) as number[] };
}

/** Workers that are lost with what they would have reported. The first lease sends the request. */
function lostWorkers(
  { asks }: Subject,
  made: (attempts: number, requests: number, repeats: number) => Outcome,
): readonly (readonly [name: string, lost: readonly number[], expected: Outcome])[] {
  const unconfirmed: Outcome = {
    ...made(1, 2, 1),
    code: "PROVIDER_UNAVAILABLE",
    milliCredits: 0,
    waits: [null],
  };
  switch (asks) {
    case "with keys":
      return [
        ["a lost worker", [1], made(1, 2, 1)],
        ["two lost workers", [1, 2], { ...made(1, 3, 1), calls: 2 }],
      ];
    case "without keys":
      // The second lease records the doubt, the third one repeats the request.
      return [
        ["a lost worker", [1], made(1, 2, 1)],
        ["two lost workers", [1, 3], unconfirmed],
      ];
    case "for jobs":
      return [
        // A job that nobody knows keeps its place until the gate's lease ends.
        ["a worker lost before its job was recorded", [1], { ...made(1, 2, 1), held: 1 }],
        ["two workers lost before their job was recorded", [1, 3], { ...unconfirmed, held: 2 }],
        ["workers lost after the job was recorded", [2, 3, 4], made(1, 1, 0)],
      ];
    case "itself":
      return [];
  }
}

function differences(actual: Outcome, expected: Outcome): readonly string[] {
  return (Object.keys(expected) as (keyof Outcome)[]).flatMap((name) => {
    const [is, must] = [JSON.stringify(actual[name]), JSON.stringify(expected[name])];
    return is === must ? [] : [`${name} is ${is} and must be ${must}`];
  });
}
