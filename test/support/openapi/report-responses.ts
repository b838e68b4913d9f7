import { afterEach } from "vitest";
import { takeResponses } from "./response-record.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The documented responses since the previous test. */
    answers?: string[];
  }
}

/** Called once by a setup file: adds the responses seen to each test's report, for `scripts/check-answers.ts`. */
export function reportResponses(): void {
  afterEach(({ task }) => {
    task.meta.answers = takeResponses();
  });
}
