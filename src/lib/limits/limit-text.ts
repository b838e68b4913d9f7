import type { Limit } from "./limit.ts";

/** A limit's value for people: `4 MiB`, `24 hours`, `10,000`. */
export function limitText({ value, unit }: Pick<Limit, "value" | "unit">): string {
  switch (unit) {
    case "bytes":
      return bytesText(value);
    case "milliseconds":
      return timeText(value);
    case "count":
      return grouped(value);
    case "characters":
    case "digits":
      return `${grouped(value)} ${unit}`;
  }
}

function bytesText(bytes: number): string {
  for (const [size, name] of [
    [1024 * 1024, "MiB"],
    [1024, "KiB"],
  ] as const) {
    if (bytes % size === 0) {
      return `${grouped(bytes / size)} ${name}`;
    }
  }
  return `${grouped(bytes)} bytes`;
}

function timeText(ms: number): string {
  const days = ms / 86_400_000;
  if (Number.isInteger(days) && days > 1) {
    return `${grouped(days)} days`;
  }
  for (const [size, name] of [
    [3_600_000, "hour"],
    [60_000, "minute"],
    [1_000, "second"],
  ] as const) {
    if (ms % size === 0) {
      const count = ms / size;
      return `${grouped(count)} ${name}${count === 1 ? "" : "s"}`;
    }
  }
  return `${grouped(ms)} ms`;
}

function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}
