import type {
  LeaseRequest,
  RateLimiterApi,
  TakeRequest,
} from "../../src/contracts/workspaces/rate-limit.ts";
import { atLeast, integer, list, object, version, whole } from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";

const rule = { v: version(1), limit: atLeast(1), window_ms: atLeast(1_000) };

export const LIMITER_ENTRIES: Entries<RateLimiterApi> = {
  take: [object<TakeRequest>(rule)],
  lease: [
    object<LeaseRequest>({
      ...rule,
      want: whole,
      spent: whole,
      unused: list(object<{ slice: number; count: number }>({ slice: integer, count: whole }), 16),
    }),
  ],
};
