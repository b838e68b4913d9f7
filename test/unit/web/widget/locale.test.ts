import { expect, test } from "vitest";
import { Language } from "../../../../src/web/widget/core/locale.ts";

test("a duration is whole seconds while it counts, and tenths below ten seconds once it has ended", () => {
  const [en, de] = [new Language("en"), new Language("de")];
  const ended = [0, 0.04, 0.34, 9.94, 10, 59.4, 83].map((seconds) => en.duration(seconds, true));
  expect(ended).toEqual([
    "0.1 sec",
    "0.1 sec",
    "0.3 sec",
    "9.9 sec",
    "10 sec",
    "59 sec",
    "1 min 23 sec",
  ]);
  expect([en.duration(0.34), en.duration(9.6), de.duration(2.25, true)]).toEqual([
    "0 sec",
    "10 sec",
    "2,3 Sek.",
  ]);
});
