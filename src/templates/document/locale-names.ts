import { BoundedCache } from "../../lib/memory/bounded-cache.ts";

/** Asking the platform takes a millisecond, and a document names few, often. */
const known = new BoundedCache<string, boolean>(200);

/** Whether the platform reads the text as a BCP 47 language tag. */
export function isLanguageTag(tag: string): boolean {
  return known.getOrMake(`tag ${tag}`, () => succeeds(() => Intl.getCanonicalLocales(tag)));
}

/** Whether it is the name of a time zone. */
export function isTimeZone(name: string): boolean {
  return known.getOrMake(`zone ${name}`, () =>
    succeeds(() => new Intl.DateTimeFormat("en-US", { timeZone: name })),
  );
}

function succeeds(ask: () => unknown): boolean {
  try {
    ask();
    return true;
  } catch {
    return false;
  }
}
