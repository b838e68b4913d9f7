import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDERS = ["src", "durable-objects", "queues"];

/** Literal names of events in calls of a logger, and of the event that an object's alarm logs. */
const EVENT = /(?:\.(?:info|error)\(|#log\(|failedEvent:)\s*"([a-z_]+(?:\.[a-z_]+)?)"/g;

const eventsOf = (source: string) => [...source.matchAll(EVENT)].map(([, event]) => event!);

const missingIn = (page: string, events: Iterable<string>) =>
  [...new Set(events)].filter((event) => !page.includes(`\`${event}\``)).toSorted();

describe("the log events of docs/operations.md", () => {
  const page = readFileSync(join(ROOT, "docs/operations.md"), "utf8");
  const events = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(({ name }) => name.endsWith(".ts"))
      .flatMap(({ name, parentPath }) => eventsOf(readFileSync(join(parentPath, name), "utf8"))),
  );

  test("include every event that the code logs", () => {
    expect(new Set(events).size).toBeGreaterThan(60);
    expect(missingIn(page, events)).toEqual([]);
  });

  test("lack a planted event, in each form of a call", () => {
    const planted = [
      'log.error("planted.first", { cause });',
      'this.#parts.log.info(\n  "planted_second",\n);',
      'this.#log("planted.third", error);',
      'new ObjectAlarm(storage, { failedEvent: "planted.fourth" });',
      'ctx.log.error("request_failed");',
    ].join("\n");
    expect(missingIn(page, eventsOf(planted))).toEqual([
      "planted.first",
      "planted.fourth",
      "planted.third",
      "planted_second",
    ]);
  });
});
