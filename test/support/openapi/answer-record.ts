/** Which documented answers the tests of this process have seen; a setup file hands them to the report. */
import { afterEach } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** `operationId status [code]` of the answers that came since the test before. */
    answers?: string[];
  }
}

const seen = new Set<string>();

export function recordAnswer(pair: string): void {
  seen.add(pair);
}

/** Called once by each project's setup file. */
export function reportAnswers(): void {
  afterEach(({ task }) => {
    task.meta.answers = [...seen];
    seen.clear();
  });
}
