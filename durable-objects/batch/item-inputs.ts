import type { ItemInput } from "../../src/contracts/batches/batch-object-api.ts";
import { ITEM } from "../../src/domain/batches/batch-facts.ts";

/** Longest part of an input in one row, and longest value of a statement, in UTF-16 units: at most 1.5 MB of the 2 MB of either. */
export const PIECE_CHARS = 500_000;

/** Inputs of one page, and UTF-16 units after which it ends. */
const INPUTS_MAX = 256;
const INPUTS_CHARS = 1_000_000;

/** The inputs of a batch's items, as their creation has bound them: in the item's row, or in pieces if they are long. */
export class ItemInputs {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Must be called within a transaction. */
  putPieces(index: number, input: string): void {
    for (let at = 0; at < input.length; at += PIECE_CHARS) {
      const body = input.slice(at, at + PIECE_CHARS);
      this.#sql.exec("INSERT OR REPLACE INTO item_piece VALUES (?, ?, ?)", index, at, body);
    }
  }

  /** The input of an item, with its liability in milli-credits. Throws if the item has none. */
  get(index: number): ItemInput & { liability: number; client_reference: string | null } {
    const row = this.#sql
      .exec<{ input: string | null; liability: number; client_reference: string | null }>(
        "SELECT input, liability, client_reference FROM item WHERE idx = ?",
        index,
      )
      .one();
    const text = row.input ?? this.#pieces(index);
    const { liability, client_reference } = row;
    // Written by the creation, from an `ItemInput`.
    return { ...(JSON.parse(text) as ItemInput), liability, client_reference };
  }

  /** A page of inputs from an index on, as JSON; null for an invalid item. Ends with the one that fills it. */
  pageFrom(from: number): (string | null)[] {
    const texts: (string | null)[] = [];
    let chars = 0;
    for (const { idx, state, input } of this.#sql.exec<{
      idx: number;
      state: number;
      input: string | null;
    }>("SELECT idx, state, input FROM item WHERE idx >= ? ORDER BY idx", from)) {
      const text = state === ITEM.invalid ? null : (input ?? this.#pieces(idx));
      texts.push(text);
      chars += text?.length ?? 0;
      if (chars > INPUTS_CHARS || texts.length === INPUTS_MAX) {
        break;
      }
    }
    return texts;
  }

  #pieces(index: number): string {
    return this.#sql
      .exec<{ body: string }>("SELECT body FROM item_piece WHERE idx = ? ORDER BY n", index)
      .toArray()
      .map(({ body }) => body)
      .join("");
  }
}
