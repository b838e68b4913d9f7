const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

const HYPHEN = 45;

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Whether the text is a valid ISO 8601 date, with or without a time. */
export function isIsoDate(text: string): boolean {
  // Most texts are rejected here, without a pattern.
  if (text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN) {
    return false;
  }
  const found = DATE.exec(text);
  if (found === null) {
    return false;
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0));
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= days && hour <= 23 && minute <= 59 && second <= 60;
}
