/** Times of cron expressions compared with those of two libraries. docs/schedules.md lists the differences. */
import { readFileSync } from "node:fs";
import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";
import { describe, expect, test } from "vitest";
import { parseCron } from "../../../../src/domain/schedules/times/cron-expression.ts";
import { nominalTimes } from "../../../../src/domain/schedules/times/nominal-times.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { DAYLIGHT_SAVING_CASES } from "./daylight-saving-cases.ts";

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

type Field = readonly [least: number, most: number, names: readonly string[]];

function randomField(random: SeededRandom, [least, most, names]: Field): string {
  const show = (value: number) =>
    random.chance(0.3) ? (names[value - least] ?? String(value)) : String(value);
  const range = () => {
    const [from = 0, to = 0] = [random.int(least, most), random.int(least, most)].toSorted(
      (a, b) => a - b,
    );
    // croner takes `SUN` at the end of a range for 7.
    return `${show(from)}-${to === least ? String(to) : show(to)}`;
  };
  const step = () => `/${String(random.int(1, most - least))}`;
  const parts: readonly (() => string)[] = [
    () => show(random.int(least, most)),
    () => show(random.int(least, most)),
    range,
    () => range() + step(),
    () => `*${step()}`,
  ];
  if (random.chance(0.35)) {
    return "*";
  }
  const length = random.chance(0.15) ? random.int(2, 4) : 1;
  return Array.from({ length }, () => random.pick(parts)()).join(",");
}

function randomExpression(random: SeededRandom): string {
  const fields: readonly Field[] = [
    [0, 59, []],
    [0, 23, []],
    [1, 31, []],
    [1, 12, MONTHS],
    [0, 7, WEEKDAYS],
  ];
  return fields.map((field) => randomField(random, field)).join(" ");
}

function ours(cron: string, zone: string, fromMs: number, count: number): number[] {
  const times = nominalTimes({
    cron,
    interval_seconds: null,
    time_zone: zone,
    starts_at_ms: null,
    ends_at_ms: null,
    created_at_ms: 0,
  });
  const found: number[] = [];
  for (let at = times.next(fromMs); at !== null && found.length < count; at = times.next(at)) {
    found.push(at);
  }
  return found;
}

function ofCroner(cron: string, zone: string, fromMs: number, count: number): number[] {
  const times = new Cron(cron, { timezone: zone }).nextRuns(count, new Date(fromMs));
  return times.map((time) => time.getTime());
}

/** Undefined for a list with a value that another part of it has too, which the library refuses. */
function ofParser(cron: string, zone: string, fromMs: number, count: number): number[] | undefined {
  try {
    const parsed = CronExpressionParser.parse(cron, { currentDate: new Date(fromMs), tz: zone });
    return parsed.take(count).map((time) => time.getTime());
  } catch (error) {
    if (/duplicate values/.test(String(error))) {
      return undefined;
    }
    throw error;
  }
}

/**
 * The same expression with day fields that do not begin with `*`, unless they are `*`. The libraries see no difference;
 * with such a field, here both day fields have to match, and there either of them.
 */
function withoutStars(cron: string): string {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = cron.split(" ");
  const spelled = (field: string, all: string) => (field === "*" ? field : field.replace("*", all));
  return [minute, hour, spelled(day, "1-31"), month, spelled(weekday, "0-6")].join(" ");
}

const HOUR_MS = 3_600_000;
const iso = (times: readonly number[]) => times.map((time) => new Date(time).toISOString());

describe("random expressions in UTC", () => {
  test("have the times of both libraries, but for the listed differences", () => {
    const random = new SeededRandom(15);
    const size = sizeOf("cronExpressions");
    let mixed = 0;
    for (let compared = 0; compared < size;) {
      const cron = randomExpression(random);
      const fromMs =
        Date.UTC(random.int(2020, 2040), random.below(12), random.int(1, 28)) +
        random.below(86_400) * 1_000;
      const plain = withoutStars(cron);
      const parsed = parseCron(cron);
      if ("problem" in parsed) {
        // Of the random expressions, only dates such as 31 February are refused.
        expect(parsed.problem).toMatch(/never fires/);
        if (plain === cron) {
          expect([cron, ofCroner(cron, "UTC", fromMs, 1)]).toEqual([cron, []]);
        }
        continue;
      }
      const times = ours(cron, "UTC", fromMs, 3);
      const plainTimes = plain === cron ? times : ours(plain, "UTC", fromMs, 3);
      expect([plain, iso(plainTimes)]).toEqual([plain, iso(ofCroner(plain, "UTC", fromMs, 3))]);
      const isMixed = iso(plainTimes).join() !== iso(times).join();
      mixed += isMixed ? 1 : 0;
      const theirs = ofParser(cron, "UTC", fromMs, 3);
      if (theirs !== undefined && !isMixed) {
        expect([cron, iso(times)]).toEqual([cron, iso(theirs)]);
        compared += 1;
      }
    }
    expect(mixed).toBeGreaterThan(0);
  });

  test("differ where a day field begins with a star", () => {
    const fromMs = Date.UTC(2026, 10, 1, 12);
    const every = "0 0 */2 * MON";
    expect(iso(ours(every, "UTC", fromMs, 2))).toEqual([
      "2026-11-09T00:00:00.000Z",
      "2026-11-23T00:00:00.000Z",
    ]);
    const either = ["2026-11-02T00:00:00.000Z", "2026-11-03T00:00:00.000Z"];
    expect(iso(ofCroner(every, "UTC", fromMs, 2))).toEqual(either);
    expect(iso(ofParser(every, "UTC", fromMs, 2) ?? [])).toEqual(either);
  });

  test("differ where a range ends with SUN", () => {
    const fromMs = Date.UTC(2026, 10, 1, 12);
    const weekend = ["2026-11-06", "2026-11-07", "2026-11-08"].map((day) => `${day}T00:00:00.000Z`);
    expect(parseCron("0 0 * * FRI-SUN")).toMatchObject({
      problem: expect.stringContaining("end it with 7"),
    });
    expect(iso(ofCroner("0 0 * * FRI-SUN", "UTC", fromMs, 3))).toEqual(weekend);
    expect(iso(ours("0 0 * * FRI-7", "UTC", fromMs, 3))).toEqual(weekend);
  });
});

/** Wall clock times in Berlin as the page writes them, of all times of an expression on one of its days. */
function berlinTimes(cron: string, day: string): string[] {
  const fromMs = Date.parse(`${day}T00:00:00Z`) - 3 * HOUR_MS;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: "Europe/Berlin",
    dateStyle: "short",
    timeStyle: "short",
  });
  const [year = "", month = "", date = ""] = day.split("-");
  return ours(cron, "Europe/Berlin", fromMs, 40).flatMap((at) => {
    const [on, time = ""] = format.format(at).split(", ");
    const offset = Number(time.slice(0, 2)) - new Date(at).getUTCHours();
    const isRepeated = day === "2026-10-25" && time.startsWith("02");
    const shown = isRepeated ? `${time} (+0${String(offset)}:00)` : time;
    return on === `${date}/${month}/${year}` ? [shown] : [];
  });
}

/** Forms that are accepted here or in a library, and refused elsewhere. */
const FORMS = [
  "0 * * * * *",
  "* * * *",
  "? * * * *",
  "0 0 L * *",
  "0 0 15W * *",
  "0 0 * * 5#2",
  "H * * * *",
  "5/15 * * * *",
  "*/61 * * * *",
  "005 * * * *",
  "5,0-10 * * * *",
  "0 0 31 2 *",
  "@midnight",
  "@DAILY",
  "@minutely",
  "@weekdays",
];

describe("the page on schedules", () => {
  test("lists each form that one of the three refuses and another accepts", () => {
    const verdict = (parse: () => unknown) => {
      try {
        parse();
        return "accepted";
      } catch {
        return "refused";
      }
    };
    const rows = FORMS.map((cron) => {
      const here = "problem" in parseCron(cron) ? "refused" : "accepted";
      const croner = verdict(() => new Cron(cron, { timezone: "UTC" }));
      const parser = verdict(() => CronExpressionParser.parse(cron, { tz: "UTC" }));
      return `| \`${cron}\` | ${[here, croner, parser].join(" | ")} |`;
    });
    expect(rows.filter((row) => !/accepted.*refused|refused.*accepted/.test(row))).toEqual([]);
    const page = readFileSync("docs/schedules.md", "utf8");
    expect(page.split("\n").filter((line) => /\| (?:accepted|refused) \|$/.test(line))).toEqual(
      rows,
    );
  });

  test("says when both days on which the clock changes have their times", () => {
    const days = ["2026-03-29", "2026-10-25"];
    const rows = readFileSync("docs/schedules.md", "utf8")
      .split("\n")
      .flatMap((line) => {
        const [, cron, ...cells] = /^\| `([\d@*][^`]+)` \|([^|]+)\|([^|]+)\|$/.exec(line) ?? [];
        return cron === undefined ? [] : [{ cron, cells }];
      });
    expect(rows.map(({ cells }) => cells.length)).toEqual([2, 2, 2, 2, 2, 2, 2]);
    for (const { cron, cells } of rows) {
      for (const [at, cell] of cells.entries()) {
        // What follows a colon or a semicolon is about times that are not there, and the way to the next one.
        const [said = ""] = cell.split(/: |; /);
        const listed = said.match(/\d\d:\d\d(?: \(\+\d\d:\d\d\))?/g) ?? [];
        const all = berlinTimes(cron, days[at]!);
        const isEveryHour = cron.split(" ")[1]?.startsWith("*") === true;
        const [first, last] = [all.indexOf(listed[0]!), all.indexOf(listed.at(-1)!)];
        const times = isEveryHour ? all.slice(first, last + 1) : all;
        expect([cron, cell, listed]).toEqual([cron, cell, times]);
      }
    }
  });

  test("lists each hand-worked case of which a library has other times", () => {
    const page = readFileSync("docs/schedules.md", "utf8");
    const rows = DAYLIGHT_SAVING_CASES.flatMap(([zone, cron, after, ...expected]) => {
      const fromMs = Date.parse(`${after}:00Z`);
      const theirs = [ofCroner, ofParser].map((times) =>
        times(cron, zone, fromMs, expected.length),
      );
      const shown = theirs.map((times) => iso(times ?? []).map((time) => time.slice(0, 16)));
      const [croner = "", parser = ""] = shown.map((times) =>
        times.join() === expected.join() ? "the same" : times.join(", ") || "none",
      );
      return croner === parser && croner === "the same"
        ? []
        : [`| ${zone} | \`${cron}\` | ${after} | ${expected.join(", ")} | ${croner} | ${parser} |`];
    });
    const table = page.split("\n").filter((line) => /^\| \w+\/\w+ \|/.test(line));
    expect(table).toEqual(rows);
  });
});
