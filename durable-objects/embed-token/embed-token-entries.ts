import type {
  EmbedTokenObjectApi,
  RevokeRequest,
  SettlePermitRequest,
  TakePermitRequest,
  UsePermitRequest,
} from "../../src/contracts/embeds/embed-token-object-api.ts";
import { atLeast, flag, nullable, object, text, version, whole } from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";

const v = version(1);
const take = { v, max: nullable(atLeast(1)), token_ends_at_ms: whole };

export const EMBED_TOKEN_ENTRIES: Entries<EmbedTokenObjectApi> = {
  take: [object<TakePermitRequest>(take)],
  hold: [object<UsePermitRequest>({ ...take, permit: nullable(text) })],
  settle: [object<SettlePermitRequest>({ v, hold: text, is_used: flag })],
  revoke: [object<RevokeRequest>({ v, until_ms: whole })],
  standing: [object<{ v: 1 }>({ v })],
};
