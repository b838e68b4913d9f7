export interface Logger {
  info(event: string, fields?: Record<string, unknown>): void;
  error(event: string, fields?: Record<string, unknown>): void;
  with(fields: Record<string, unknown>): Logger;
}

/** Writes one JSON line per event. Payloads, tokens and storage keys must never be logged. */
export function createLogger(base: Record<string, unknown>): Logger {
  const write = (level: "info" | "error", event: string, fields?: Record<string, unknown>) => {
    const line = JSON.stringify({
      level,
      event,
      time: new Date().toISOString(),
      ...base,
      ...fields,
    });
    // oxlint-disable-next-line no-console -- the platform's log is the console; this is the one place that writes to it
    (level === "error" ? console.error : console.log)(line);
  };
  return {
    info: (event, fields) => write("info", event, fields),
    error: (event, fields) => write("error", event, fields),
    with: (fields) => createLogger({ ...base, ...fields }),
  };
}
