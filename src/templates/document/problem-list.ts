import { LIMITS } from "../../lib/limits/limits-table.ts";
import { pathOf, type Place } from "./place.ts";
import type { DocumentProblem, ProblemCode } from "./problem.ts";

/** Most problems that one answer lists. */
export const PROBLEMS_MAX = LIMITS.document_problems.value;

/** The problems of one document, each place and code once. */
export class ProblemList {
  readonly #problems = new Map<string, DocumentProblem>();

  /** From here on nothing is added, and a walk may end. */
  get isFull(): boolean {
    return this.#problems.size >= PROBLEMS_MAX;
  }

  get all(): readonly DocumentProblem[] {
    return [...this.#problems.values()];
  }

  add(code: ProblemCode, place: Place | null, message: string): void {
    if (this.isFull) {
      return;
    }
    this.addAt(code, pathOf(place), message);
  }

  addAt(code: ProblemCode, field: string, message: string): void {
    const key = `${code} ${field}`;
    if (!this.isFull && !this.#problems.has(key)) {
      this.#problems.set(key, { field, message, code });
    }
  }
}
