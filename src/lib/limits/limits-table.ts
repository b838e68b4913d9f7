import { LIMIT_VALUES } from "./limit-values.ts";

export type LimitName = keyof typeof LIMIT_VALUES;

/** The values of the table of limits (`limits/limit-rows.ts`, which has their units and reasons), in those units. */
export const LIMITS: Readonly<Record<LimitName, { readonly value: number }>> = LIMIT_VALUES;
