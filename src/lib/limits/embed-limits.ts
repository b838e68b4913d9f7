import type { Limits } from "./limit.ts";

const KB = 1024;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Embeds: a part of the table of limits. */
export const EMBED_LIMITS = {
  embed_origins: {
    name: "`allowed_origins` of an embed token",
    value: 20,
    unit: "count",
    reason: "Each of them is in a header of every page of the token.",
  },
  embed_token: {
    name: "Embed token",
    value: 8 * KB,
    unit: "characters",
    reason: "It travels in the address of a page and in a request header.",
  },
  embed_lifetime: {
    name: "Lifetime of an embed token (`expires_in_minutes`)",
    value: 36_525 * DAY,
    unit: "milliseconds",
    reason: "A hundred years, for pages that nobody maintains.",
  },
  embed_executions: {
    name: "`max_executions` of an embed token",
    value: 1_000_000_000,
    unit: "count",
    reason: "Far above the runs that a token can start in its life.",
  },
  embed_prefilled: {
    name: "`prefilled_inputs` of an embed token, as JSON",
    value: 16 * KB,
    unit: "bytes",
    reason: "The field is accepted and not used.",
  },
  embed_end_user: {
    name: "`end_user_id`",
    value: 128,
    unit: "characters",
    reason: "Room for an id of your own, or an email address.",
  },
  embed_permit: {
    name: "Lifetime of a permit",
    value: 10 * MINUTE,
    unit: "milliseconds",
    reason: "Longer than a person takes between the check and the submit.",
  },
  embed_open_permits: {
    name: "Permits of one embed token that are not used yet",
    value: 10_000,
    unit: "count",
    reason: "The token's object keeps them in memory; a permit that lapses makes room.",
  },
  embed_revocation: {
    name: "Revocation without `expires_at`",
    value: 30 * DAY,
    unit: "milliseconds",
    reason: "Pass the `expires_at` of the token to revoke it for its whole life.",
  },
  embed_uploads: {
    name: "Uploads with one embed token in an hour",
    value: 60,
    unit: "count",
    reason: "A person fills in a form a few times; a script is slowed down.",
  },
} as const satisfies Limits;
