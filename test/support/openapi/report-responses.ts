import { afterEach } from "vitest";
import { takeResponses } from "./response-record.ts";

declare module "vitest" {
  interface TaskMeta {
    /** The documented answers that came since the test before. */
    answers?: string[];
  }
}

/** Called once by a setup file: each test's report says which answers it saw, for `scripts/check-answers.ts`. */
export function reportResponses(): void {
  afterEach(({ task }) => {
    task.meta.answers = takeResponses();
  });
}
