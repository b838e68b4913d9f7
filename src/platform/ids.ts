/** Public ids: a prefix and the 32 lowercase hex digits of a UUIDv7 (docs/contract/conventions.md#identifiers). */
import { AppError, type ErrorCode } from "../lib/errors/errors.ts";

export const ID_PREFIXES = {
  workflow: "wf_",
  run: "run_",
  batch: "bat_",
  batchItem: "bit_",
  schedule: "sch_",
  embed: "emb_",
  template: "tpl_",
  templateVersion: "tplv_",
  shareLink: "tsl_",
  folder: "fld_",
  organization: "org_",
  workspace: "ws_",
  apiKey: "key_",
  webhookEndpoint: "whe_",
  webhookDelivery: "whd_",
  webhookActivity: "wha_",
  event: "evt_",
  upload: "upl_",
  interface: "int_",
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** Returns a new id. Its first 48 bits are the time, so ids sort by creation. */
export function newId(kind: IdKind, nowMs: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(nowMs / 2 ** 32));
  view.setUint32(2, nowMs >>> 0);
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f));
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  let hex = "";
  for (const byte of bytes) {
    hex += byte.toString(16).padStart(2, "0");
  }
  return ID_PREFIXES[kind] + hex;
}

/**
 * Returns one of 65,536 ids that a base id of `newId` stands for, of any kind: its last 16 bits plus `number`. The
 * caller stores the base in place of the ids.
 */
export function numberedId(base: string, number: number, kind?: IdKind): string {
  const last = (Number.parseInt(base.slice(-4), 16) + number) % 65_536;
  const from = kind === undefined ? base : ID_PREFIXES[kind] + base.slice(base.indexOf("_") + 1);
  return from.slice(0, -4) + last.toString(16).padStart(4, "0");
}

/** Returns the creation time of an id, in milliseconds since 1970, from the first 48 bits of its UUIDv7. */
export function idTimeMs(id: string): number {
  return Number.parseInt(id.slice(id.indexOf("_") + 1).slice(0, 12), 16);
}

const RAW_HEX = /^[0-9a-f]{32}$/;
const DASHED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Returns the canonical form of an id given with its prefix or as a raw UUID; undefined if malformed or of another
 * kind.
 */
export function tryParseId(kind: IdKind, given: string): string | undefined {
  const prefix = ID_PREFIXES[kind];
  const lower = given.toLowerCase();
  if (lower.startsWith(prefix)) {
    const rest = lower.slice(prefix.length).replaceAll("-", "");
    return RAW_HEX.test(rest) ? prefix + rest : undefined;
  }
  if (RAW_HEX.test(lower)) {
    return prefix + lower;
  }
  return DASHED.test(lower) ? prefix + lower.replaceAll("-", "") : undefined;
}

export function parseId(kind: IdKind, given: string, code: ErrorCode = "invalid_id"): string {
  const id = tryParseId(kind, given);
  if (id === undefined) {
    const prefix = ID_PREFIXES[kind];
    throw new AppError(
      code,
      `"${given.slice(0, 80)}" is not ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind} id. Send the id exactly as it was returned: ${prefix} and 32 hex digits, or the bare UUID.`,
    );
  }
  return id;
}
