/** A block's row as text: a line of tasks, a line of cells and lengths of texts, then the texts. */
import type { ElementDigests } from "../../../src/contracts/runs/task.ts";
import type { Reused } from "../../../src/engine/step/cells.ts";
import type { Charge } from "../../../src/engine/step/charge.ts";
import { CELL_STATUSES, type CellStatus } from "../../../src/engine/step/run-state.ts";
import { decodeTask, encodeTask, type TaskEntry } from "../tasks/task-entry.ts";

/** A part of a body; other bodies may share it. */
export type Piece =
  /** In the block. */
  | { readonly text: string }
  /** In a separate row. */
  | { readonly row: string };

/** A settled element in a block. */
export interface Cell {
  readonly node: number;
  readonly element: number;
  readonly status: CellStatus;
  readonly head: string;
  /** The remaining parts of the body in order; joined, they are the body. */
  tail: readonly Piece[];
  readonly account: CellAccount;
  /** The sealed row that contains it, -1 while it is written with its block. */
  page: number;
}

/** The work that an element took, and what it was charged. */
export interface CellAccount {
  readonly attempts: number | null;
  readonly ms: number | null;
  readonly charge: Charge | undefined;
  /** For an element that the runner executed [E28]. */
  readonly digests: ElementDigests | undefined;
  /** For an element that was taken over from another run [E36]. */
  readonly reused: Reused | undefined;
}

/** For elements that cost nothing and that no runner executed: one object for all, because there are many. */
export const NO_ACCOUNT: CellAccount = {
  attempts: null,
  ms: null,
  charge: undefined,
  digests: undefined,
  reused: undefined,
};

/** For bodies that are not split: one list for all. */
export const NO_TAIL: readonly Piece[] = [];

/** The number of a text, or a row's key. */
type PieceText = number | string;

/**
 * Cells, the lengths of the texts that follow, and the executions that did the work of cells that were taken over. A
 * tail is one piece, several pieces, or -1 for none.
 */
type CellIndex = readonly [
  cells: readonly (readonly [
    node: number,
    element: number,
    status: number,
    head: number,
    tail: PieceText | readonly PieceText[],
    attempts?: number | null,
    ms?: number | null,
    extra?: ExtraText,
  ])[],
  lengths: readonly number[],
  executions?: readonly string[],
];

/** A block's row, or one of its sealed rows, which has no tasks. */
export function encodeBlockRow(tasks: readonly TaskEntry[], cells: readonly Cell[]): string {
  const places = new Map<string, number>();
  const place = (text: string) => {
    const known = places.get(text);
    if (known !== undefined) {
      return known;
    }
    places.set(text, places.size);
    return places.size - 1;
  };
  const executions: string[] = [];
  // Written as text directly: an array for each cell, serialized at the end, takes twice the time.
  let index = "";
  for (const { node, element, status, head, tail, account } of cells) {
    const start = place(head);
    const rest = tail.length === 0 ? "-1" : encodeTail(tail, place);
    const separator = index === "" ? "" : ",";
    index += `${separator}[${node},${element},${CELL_STATUSES.indexOf(status)},${start},${rest}${encodeAccount(account, executions)}]`;
  }
  const line = tasks.length === 0 ? "" : JSON.stringify(tasks.map((task) => encodeTask(task)));
  let lengths = "";
  let texts = "";
  for (const text of places.keys()) {
    lengths += lengths === "" ? text.length : `,${text.length}`;
    texts += text;
  }
  const workers = executions.length === 0 ? "" : `,${JSON.stringify(executions)}`;
  return `${line}\n[[${index}],[${lengths}]${workers}]\n${texts}`;
}

function encodeTail(tail: readonly Piece[], place: (text: string) => number): string {
  const pieces = tail.map((piece) => ("row" in piece ? piece.row : place(piece.text)));
  return JSON.stringify(pieces.length > 1 ? pieces : pieces[0]);
}

function encodeAccount(account: CellAccount, executions: string[]): string {
  if (account === NO_ACCOUNT) {
    return "";
  }
  const { attempts, ms } = account;
  const extra = extraOf(account, executions);
  if (extra === undefined && attempts === null && ms === null) {
    return "";
  }
  const text = JSON.stringify(extra === undefined ? [attempts, ms] : [attempts, ms, extra]);
  return `,${text.slice(1, -1)}`;
}

/** The shared NO_ACCOUNT where there is nothing to account for, else `account`. */
export function accountOf(account: CellAccount): CellAccount {
  const { attempts, ms, charge, digests, reused } = account;
  return attempts === null &&
    ms === null &&
    charge === undefined &&
    digests === undefined &&
    reused === undefined
    ? NO_ACCOUNT
    : account;
}

/** The stored data of an element besides its content; version 2 of the database stored the first four as text. */
export type ExtraText = readonly [
  milliCredits?: number | null,
  quantity?: number | null,
  inputs?: string | null,
  outputs?: string | null,
  /** Of an element that was taken over: the number of the execution in the row, and what it was charged there. */
  reusedFrom?: number,
  saved?: number,
  /** 1 for an element from the result cache; absent from the source of a retry. */
  cached?: 1,
];

function extraOf(
  { charge, digests, reused }: CellAccount,
  executions: string[],
): ExtraText | undefined {
  const { milliCredits = null, quantity = null } = charge ?? {};
  if (reused !== undefined) {
    let from = executions.indexOf(reused.execution);
    if (from < 0) {
      from = executions.push(reused.execution) - 1;
    }
    const { inputs = null, outputs = null } = digests ?? {};
    const taken = [milliCredits, quantity, inputs, outputs, from, reused.milliCredits] as const;
    return reused.isCached === true ? [...taken, 1] : taken;
  }
  if (digests !== undefined) {
    return [milliCredits, quantity, digests.inputs, digests.outputs ?? null];
  }
  return charge === undefined
    ? undefined
    : quantity === null
      ? [milliCredits]
      : [milliCredits, quantity];
}

/** `executions`: those of the row. */
export function extraIn(
  [milliCredits = null, quantity = null, inputs, outputs, from, saved = 0, cached]: ExtraText,
  executions: readonly string[] = [],
): Pick<CellAccount, "charge" | "digests" | "reused"> {
  const execution = from === undefined ? undefined : executions[from];
  return {
    charge: milliCredits === null ? undefined : { milliCredits, quantity },
    digests: inputs == null ? undefined : { inputs, ...(outputs == null ? {} : { outputs }) },
    reused:
      execution === undefined
        ? undefined
        : { execution, milliCredits: saved, ...(cached === 1 && { isCached: true }) },
  };
}

/** Tasks from the first line of a block's row. */
export function decodeTasks(line: string): TaskEntry[] {
  return (JSON.parse(line) as Parameters<typeof decodeTask>[0][]).map((task) => decodeTask(task));
}

export function decodeBlockRow(
  text: string,
  page: number,
): { readonly tasks: readonly TaskEntry[]; readonly cells: readonly Cell[] } {
  const tasksEnd = text.indexOf("\n");
  const indexEnd = text.indexOf("\n", tasksEnd + 1);
  const [index, lengths, executions] = JSON.parse(text.slice(tasksEnd + 1, indexEnd)) as CellIndex;
  const texts: string[] = [];
  let at = indexEnd + 1;
  for (const length of lengths) {
    texts.push(text.slice(at, at + length));
    at += length;
  }
  if (at !== text.length) {
    // Texts are shared between cells, so a value that is cut short may still look whole.
    throw new Error(`A block's row has ${text.length} characters in place of ${at}.`);
  }
  const cells = index.map(
    ([node, element, status, head, tail, attempts = null, ms = null, extra]): Cell => ({
      node,
      element,
      status: CELL_STATUSES[status] ?? "failed",
      head: texts[head] ?? "",
      tail: tail === -1 ? NO_TAIL : tailOf(tail, texts),
      account:
        attempts === null && ms === null && extra === undefined
          ? NO_ACCOUNT
          : { attempts, ms, ...extraIn(extra ?? [], executions) },
      page,
    }),
  );
  return { tasks: tasksEnd === 0 ? [] : decodeTasks(text.slice(0, tasksEnd)), cells };
}

function tailOf(tail: PieceText | readonly PieceText[], texts: readonly string[]): Piece[] {
  return (typeof tail === "object" ? tail : [tail]).map((piece) =>
    typeof piece === "string" ? { row: piece } : { text: texts[piece] ?? "" },
  );
}
