/** A block's row: the same text as a plain encoder writes, and the same cells when it is read. */
import { describe, expect, it } from "vitest";
import {
  accountOf,
  type Cell,
  type CellAccount,
  decodeBlockRow,
  encodeBlockRow,
  NO_TAIL,
  type Piece,
} from "../../../../durable-objects/run/blocks/block-text.ts";
import {
  encodeTask,
  newTask,
  type TaskEntry,
} from "../../../../durable-objects/run/tasks/task-entry.ts";
import { CELL_STATUSES } from "../../../../src/engine/step/run-state.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";

const ROWS = 300;
/** Few, so that cells share texts; with all that a row separates its parts by. */
const TEXTS = ["", "a", '[["item",["j"', '",1]]]', "\n", '"', "\\", "𝄞é", "-1", '[0,"x"]'];

function plainExtra(
  { charge, digests, reused }: CellAccount,
  money: readonly number[] | undefined,
  executions: readonly string[],
): readonly unknown[] | undefined {
  const whole = [
    charge?.milliCredits ?? null,
    charge?.quantity ?? null,
    digests?.inputs ?? null,
    digests?.outputs ?? null,
  ];
  if (reused !== undefined) {
    return [...whole, executions.indexOf(reused.execution), reused.milliCredits];
  }
  return digests === undefined ? money : whole;
}

/** As it was written before texts were put together by hand: one array, serialized at the end. */
function plainRow(tasks: readonly TaskEntry[], cells: readonly Cell[]): string {
  const texts: string[] = [];
  const executions: string[] = [];
  const place = (text: string) =>
    texts.includes(text) ? texts.indexOf(text) : texts.push(text) - 1;
  const index = cells.map(({ node, element, status, head, tail, account }) => {
    const { attempts, ms, charge, reused } = account;
    const start = place(head);
    const pieces = tail.map((piece) => ("row" in piece ? piece.row : place(piece.text)));
    const money =
      charge === undefined
        ? undefined
        : [charge.milliCredits, ...(charge.quantity === null ? [] : [charge.quantity])];
    if (reused !== undefined && !executions.includes(reused.execution)) {
      executions.push(reused.execution);
    }
    const extra = plainExtra(account, money, executions);
    const work = attempts === null && ms === null && extra === undefined ? [] : [attempts, ms];
    return [
      node,
      element,
      CELL_STATUSES.indexOf(status),
      start,
      pieces.length > 1 ? pieces : (pieces[0] ?? -1),
      ...work,
      ...(extra === undefined ? [] : [extra]),
    ];
  });
  const line = tasks.length === 0 ? "" : JSON.stringify(tasks.map((task) => encodeTask(task)));
  const lengths = texts.map(({ length }) => length);
  const header = [index, lengths, ...(executions.length === 0 ? [] : [executions])];
  return `${line}\n${JSON.stringify(header)}\n${texts.join("")}`;
}

function randomCell(random: SeededRandom, element: number): Cell {
  const piece = (): Piece =>
    random.chance(0.2)
      ? { row: `v.${random.int(0, 9)}.${element}` }
      : { text: random.pick(TEXTS) + (random.chance(0.3) ? String(random.int(0, 999)) : "") };
  const tail = Array.from({ length: random.int(0, 3) }, piece);
  const maybe = <T>(value: T) => (random.chance(0.5) ? value : undefined);
  const charge = maybe({
    milliCredits: random.int(0, 5_000),
    quantity: maybe(random.next() * 10) ?? null,
  });
  const digests = maybe({ inputs: "i".repeat(24), ...maybe({ outputs: "o".repeat(24) }) });
  return {
    // Submitted values have numbers below zero, and no number has to fit into 32 bits.
    node: random.pick([-1, 0, 7, 499]),
    element: random.pick([0, 31, element, 2 ** 31 + element]),
    status: random.pick(CELL_STATUSES),
    head: random.pick(TEXTS),
    tail: tail.length === 0 ? NO_TAIL : tail,
    account: accountOf({
      attempts: maybe(random.int(0, 4)) ?? null,
      ms: maybe(random.int(0, 90_000)) ?? null,
      charge,
      digests,
      reused: maybe({ execution: `run_${random.int(0, 2)}`, milliCredits: random.int(0, 50) }),
    }),
    page: -1,
  };
}

function randomTask(random: SeededRandom, element: number): TaskEntry {
  return random.chance(0.5)
    ? newTask(3, element)
    : {
        ...newTask(3, element),
        status: "leased",
        attempt: 1,
        fence: random.int(1, 5),
        boot: "boot",
        dueMs: 30_000,
      };
}

describe("a block's row", () => {
  it("is byte for byte the row of a plain encoder, and its cells are read back", () => {
    const random = new SeededRandom(20_261_122);
    for (let row = 0; row < ROWS; row++) {
      const cells = Array.from({ length: random.int(0, 12) }, (_, at) => randomCell(random, at));
      const tasks = Array.from({ length: random.int(0, 3) }, (_, at) => randomTask(random, at));
      const text = encodeBlockRow(tasks, cells);
      expect(text).toBe(plainRow(tasks, cells));
      const read = decodeBlockRow(text, -1);
      expect(read.cells).toEqual(cells);
      expect(encodeBlockRow(read.tasks, read.cells)).toBe(text);
    }
  });

  it("that is cut off is refused wherever it is cut", () => {
    const random = new SeededRandom(7);
    // The texts of the second are shared with the first, except for the last one.
    const cells = ["first", "last"].map((text, element): Cell => ({
      ...randomCell(random, element),
      head: "head",
      tail: [{ text: "begin" }, { text }, { text: "end" }],
    }));
    const text = encodeBlockRow([], cells);
    for (let length = 0; length < text.length; length++) {
      expect(() => decodeBlockRow(text.slice(0, length), -1), String(length)).toThrow();
    }
  });
});
