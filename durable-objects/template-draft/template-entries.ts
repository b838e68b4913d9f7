import type { TemplateDraftApi } from "../../src/contracts/templates/template-object-api.ts";
import type { FontPin } from "../../src/contracts/templates/renderer.ts";
import {
  bytes,
  flag,
  list,
  literal,
  nullable,
  object,
  optional,
  text,
  variants,
  version,
  whole,
} from "../../src/lib/json/shape.ts";
import { ofWorkspace } from "../shared/entry-shapes.ts";
import type { Entries } from "../shared/entries.ts";

type Argument<M extends keyof TemplateDraftApi> = Parameters<TemplateDraftApi[M]>[0];

const v = version(1);
const source = nullable(
  object<NonNullable<Argument<"create">["source"]>>({
    kind: literal("duplicate", "share"),
    revision: nullable(whole),
  }),
);
const content = { content: bytes, content_hash: text, page_count: whole };
const fontPin = object<FontPin>({
  name: text,
  family_guid: text,
  version_guid: text,
  fallback_guid: nullable(text),
});
const write = {
  v,
  workspace_id: text,
  idempotency: object<Argument<"open">["idempotency"]>({ key: text, fingerprint: text }),
  if_match: nullable(text),
};

export const TEMPLATE_ENTRIES: Entries<TemplateDraftApi> = {
  create: [
    object<Argument<"create">>({
      v,
      id: text,
      workspace_id: text,
      name: text,
      description: text,
      tags: list(text),
      source,
      ...content,
      created_at_ms: whole,
    }),
  ],
  read: [ofWorkspace],
  readContent: [
    object<Argument<"readContent">>({ v, workspace_id: text, if_none_match: nullable(text) }),
  ],
  findReplay: [
    object<Argument<"findReplay">>({ v, workspace_id: text, key: text, body_sha256: text }),
  ],
  open: [object<Argument<"open">>({ ...write, wants_content: flag, known_etag: optional(text) })],
  commit: [
    object<Argument<"commit">>({
      ...write,
      base_revision: whole,
      change: nullable(object<NonNullable<Argument<"commit">["change"]>>(content)),
      status: whole,
      body: nullable(text),
      body_sha256: optional(text),
    }),
  ],
  announceFiles: [object<Argument<"announceFiles">>({ v, workspace_id: text, folder: text })],
  publish: [
    object<Argument<"publish">>({
      ...write,
      is_announced: optional(flag),
      base_revision: whole,
      version: object<Argument<"publish">["version"]>({
        id: text,
        content_hash: text,
        contract_hash: text,
        page_count: whole,
        folder: text,
        font_pins: optional(list(fontPin)),
        published_at_ms: whole,
      }),
    }),
  ],
  change: [
    object<Argument<"change">>({
      v,
      workspace_id: text,
      change: variants<Argument<"change">["change"], "type">("type", {
        patch: object<Extract<Argument<"change">["change"], { type: "patch" }>>({
          type: literal("patch"),
          name: optional(text),
          description: optional(text),
          tags: optional(list(text)),
        }),
        archive: object<{ type: "archive" | "revert" | "delete" }>({
          type: literal("archive", "revert", "delete"),
        }),
        revert: object<{ type: "archive" | "revert" | "delete" }>({
          type: literal("archive", "revert", "delete"),
        }),
        delete: object<{ type: "archive" | "revert" | "delete" }>({
          type: literal("archive", "revert", "delete"),
        }),
      }),
    }),
  ],
};
