import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { showValue } from "../../../lib/json/show-value.ts";

/** One field of a cron expression: its values, ascending, and whether its text begins with `*`. */
export interface CronField {
  readonly values: readonly number[];
  readonly isOpen: boolean;
}

/** A parsed cron expression; days of the week are 0 (Sunday) to 6, months 1 to 12. */
export interface CronExpression {
  readonly minutes: CronField;
  readonly hours: CronField;
  readonly days: CronField;
  readonly months: CronField;
  readonly weekdays: CronField;
}

interface FieldRule {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names of the values from `least`, in upper case. */
  readonly names: readonly string[];
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const RULES = {
  minutes: { name: "minute", least: 0, most: 59, names: [] },
  hours: { name: "hour", least: 0, most: 23, names: [] },
  days: { name: "day-of-month", least: 1, most: 31, names: [] },
  months: { name: "month", least: 1, most: 12, names: MONTHS },
  weekdays: { name: "day-of-week", least: 0, most: 7, names: WEEKDAYS },
} as const satisfies Record<keyof CronExpression, FieldRule>;

const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

/** Days of each month in a leap year. */
const MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const TEXT_MAX = LIMITS.cron_expression.value;

/** The reason why a text is not accepted; its message names the field and the accepted values. */
class CronProblem extends Error {
  override readonly name = "CronProblem";
}

/**
 * Parses a cron expression (docs/contract/schedules.md#cron): five fields or one of the shorthands. Returns the reason
 * as `problem` if the text is anything else, or if no date matches it.
 */
export function parseCron(
  text: string,
): { readonly cron: CronExpression } | { readonly problem: string } {
  try {
    return { cron: parse(text) };
  } catch (error) {
    if (error instanceof CronProblem) {
      return { problem: error.message };
    }
    throw error;
  }
}

function parse(text: string): CronExpression {
  if (text.length > TEXT_MAX) {
    throw new CronProblem(
      `has ${String(text.length)} characters; at most ${String(TEXT_MAX)} are accepted`,
    );
  }
  const given = text.replaceAll(/^[ \t]+|[ \t]+$/g, "");
  const fields = (SHORTHANDS.get(given) ?? given).split(/[ \t]+/);
  if (given.startsWith("@") && !SHORTHANDS.has(given)) {
    throw new CronProblem(
      `${showValue(given)} is not a shorthand. Use one of ${[...SHORTHANDS.keys()].join(", ")}`,
    );
  }
  const [minute, hour, day, month, weekday] = fields;
  if (
    fields.length !== 5 ||
    minute === undefined ||
    hour === undefined ||
    day === undefined ||
    month === undefined ||
    weekday === undefined
  ) {
    throw new CronProblem(
      `has ${String(given === "" ? 0 : fields.length)} fields; it must have five: minute, hour, day-of-month, month, day-of-week`,
    );
  }
  const cron = {
    minutes: parseField(minute, RULES.minutes),
    hours: parseField(hour, RULES.hours),
    days: parseField(day, RULES.days),
    months: parseField(month, RULES.months),
    weekdays: foldSunday(parseField(weekday, RULES.weekdays)),
  };
  if (!hasDate(cron)) {
    throw new CronProblem("never fires: none of its months has one of its days");
  }
  return cron;
}

function parseField(text: string, rule: FieldRule): CronField {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    for (const value of parsePart(part, rule)) {
      values.add(value);
    }
  }
  return { values: [...values].toSorted((a, b) => a - b), isOpen: text.startsWith("*") };
}

function* parsePart(part: string, rule: FieldRule): Generator<number> {
  const [range, stepText, ...rest] = part.split("/");
  if (range === undefined || rest.length > 0) {
    throw misfit(part, rule);
  }
  const ends = range === "*" ? [] : range.split("-");
  if (ends.length > 2 || (ends.length === 1 && stepText !== undefined)) {
    throw misfit(part, rule);
  }
  const isWeekdays = rule.names.length === WEEKDAYS.length;
  const [first = rule.least, last = first] = ends.map((end) => parseValue(end, part, rule));
  // `*` in the day-of-week field is 0 to 6, as Sunday has two numbers.
  const most = range === "*" ? rule.most - (isWeekdays ? 1 : 0) : last;
  if (most < first) {
    throw new CronProblem(
      `${rule.name} ${showValue(part)} is a range that runs backwards. Write it as two ranges in a list${
        isWeekdays && most === 0 ? ", or end it with 7, which is Sunday too" : ""
      }`,
    );
  }
  const step = stepText === undefined ? 1 : parseStep(stepText, part, rule, isWeekdays);
  for (let value = first; value <= most; value += step) {
    yield value;
  }
}

function parseValue(text: string, part: string, rule: FieldRule): number {
  const named = rule.names.indexOf(text.toUpperCase());
  if (named !== -1) {
    return rule.least + named;
  }
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  if (value < rule.least || value > rule.most) {
    throw misfit(part, rule);
  }
  return value;
}

function parseStep(text: string, part: string, rule: FieldRule, isWeekdays: boolean): number {
  const most = rule.most - rule.least + (isWeekdays ? 0 : 1);
  const step = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (step < 1 || step > most) {
    throw new CronProblem(
      `${rule.name} ${showValue(part)} has a step that is not a whole number from 1 to ${String(most)}`,
    );
  }
  return step;
}

function misfit(part: string, { name, least, most, names }: FieldRule): CronProblem {
  const [first] = names;
  const words =
    first === undefined ? "" : ` or the names ${first} to ${names[names.length - 1] ?? ""}`;
  return new CronProblem(
    `${name} ${showValue(part)} is not accepted. Use *, values from ${String(least)} to ${String(most)}${words}, ranges a-b, lists a,b and steps */n or a-b/n`,
  );
}

/** 7 is Sunday too. */
function foldSunday(field: CronField): CronField {
  const values = new Set(field.values.map((value) => value % WEEKDAYS.length));
  return { ...field, values: [...values].toSorted((a, b) => a - b) };
}

/** True if either the day of the month or the day of the week has to match, not both. */
export function isEitherDay({ days, weekdays }: CronExpression): boolean {
  return !days.isOpen && !weekdays.isOpen;
}

/** Every day of a leap year falls on every day of the week in some year, so only months and their days decide. */
function hasDate(cron: CronExpression): boolean {
  const first = cron.days.values[0] ?? Infinity;
  return (
    isEitherDay(cron) || cron.months.values.some((month) => first <= (MONTH_DAYS[month - 1] ?? 0))
  );
}
