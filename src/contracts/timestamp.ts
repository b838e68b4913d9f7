import * as z from "zod";

/** A time in a response: ISO 8601 in UTC, `2026-01-31T12:00:00.000Z`. */
export const timestampField = z.iso.datetime();
