import { expect, test } from "vitest";
import { PORT_TYPES } from "../../../src/contracts/workflows/port-type.ts";
import { canFeed } from "../../../src/contracts/workflows/can-feed.ts";

/** Source and target types that differ, neither of them `any`. */
const CROSSING = ["number > json", "boolean > json", "url > text", "text > url"];

test("[E3] a port accepts its own type and any; numbers and booleans as JSON; texts and addresses as each other", () => {
  const crossing: string[] = [];
  for (const source of PORT_TYPES) {
    for (const target of PORT_TYPES) {
      const feeds = canFeed(source, { type: target });
      if (source === target || source === "any" || target === "any") {
        expect([source, target, feeds]).toEqual([source, target, true]);
      } else if (feeds) {
        crossing.push(`${source} > ${target}`);
      }
    }
  }
  expect(crossing.toSorted()).toEqual(CROSSING.toSorted());
});

test("[E3] a port accepts its additional types, and nothing else because of them", () => {
  const port = { type: "text", accepts: ["number"] } as const;
  const taken = PORT_TYPES.filter((source) => canFeed(source, port));
  expect(taken).toEqual(["text", "number", "url", "any"]);
});
