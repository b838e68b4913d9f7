import { DurableObject } from "cloudflare:workers";
import type {
  CommittedDraft,
  CreateTemplateRequest,
  DraftCommit,
  DraftReplay,
  DraftRequest,
  OpenedDraft,
  PublishCommit,
  PublishedDraft,
  TemplateChange,
  TemplateDraftApi,
  TemplateRecord,
} from "../../src/contracts/templates/template-object-api.ts";
import {
  commitContent,
  decideTemplate,
  publishVersion,
  refuseWrite,
} from "../../src/domain/templates/decide-template.ts";
import { draftEtag, namesDraft } from "../../src/lib/http/draft-etag.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import {
  compareWithRecord,
  IDEMPOTENCY_KEPT_MS,
  KEY_REUSED,
} from "../../src/lib/idempotency-record.ts";
import { type Failure, fail, ok, type Result } from "../../src/lib/result.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import type { Env } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { parseEntries } from "../shared/entries.ts";
import { ObjectAlarm } from "../shared/object-alarm.ts";
import { TemplateEffects } from "./template-effects.ts";
import { TEMPLATE_ENTRIES } from "./template-entries.ts";
import { TemplateStore } from "./template-store.ts";

/** A creation has inserted its row long before. */
const UNCREATED_MS = 15 * 60_000;
/** Delay after a change until the lists must have it. */
const LIST_AGAIN_MS = 15_000;

/** From the announcement of a publication's files to their deletion. A publication takes minutes at most. */
const PUBLICATION_MS = 60 * 60_000;

interface Refused {
  readonly kind: "refused";
  readonly failure: Failure;
}

interface Replayed {
  readonly kind: "replay";
  readonly replay: DraftReplay;
}

/** The draft has another revision than the write was prepared from. */
interface Moved {
  readonly kind: "moved";
}

interface Admitted {
  readonly kind: "admitted";
  readonly record: TemplateRecord;
}

/**
 * One design template: its draft, its state, and the responses to draft writes, in one database. This class is the RPC
 * surface; `domain/templates/decide-template.ts` makes the decisions, TemplateStore has the rows. The content is opaque
 * here: callers validate it before they commit it on the revision that they have read.
 */
export class TemplateDraftObject extends DurableObject<Env> implements TemplateDraftApi {
  readonly #store = new TemplateStore(this.ctx.storage);
  readonly #effects = new TemplateEffects(this.env);
  readonly #alarm = new ObjectAlarm(this.ctx.storage, {
    object: "template_draft",
    failedEvent: "template_draft.failed",
    retryMs: LIST_AGAIN_MS,
  });

  create(request: CreateTemplateRequest): Promise<TemplateRecord> {
    const known = this.#store.record;
    if (known !== undefined) {
      return Promise.resolve(known);
    }
    const { v: _v, content, content_hash, page_count, created_at_ms, ...given } = request;
    const record: TemplateRecord = {
      ...given,
      status: "draft",
      draft_revision: 1,
      content_hash,
      page_count,
      content_changed_at_ms: created_at_ms,
      latest: null,
      created_at_ms,
      updated_at_ms: created_at_ms,
    };
    this.#store.create(record, content);
    this.#alarm.arm(Date.now() + UNCREATED_MS);
    return Promise.resolve(record);
  }

  read(request: { v: 1; workspace_id: string }): Promise<TemplateRecord | null> {
    return Promise.resolve(this.#recordOf(request.workspace_id) ?? null);
  }

  readContent(request: {
    v: 1;
    workspace_id: string;
    if_none_match: string | null;
  }): Promise<{ record: TemplateRecord; content: Uint8Array | null } | null> {
    const record = this.#recordOf(request.workspace_id);
    return Promise.resolve(
      record === undefined
        ? null
        : {
            record,
            content:
              request.if_none_match !== null && namesDraft(request.if_none_match, record)
                ? null
                : this.#store.content(),
          },
    );
  }

  findReplay(request: {
    v: 1;
    workspace_id: string;
    key: string;
    body_sha256: string;
  }): Promise<DraftReplay | null> {
    const known =
      this.#recordOf(request.workspace_id) && this.#store.replay(request.key, Date.now());
    if (known?.bodyDigest !== request.body_sha256) {
      return Promise.resolve(null);
    }
    const { status, etag, body } = known;
    return Promise.resolve({ status, etag, body });
  }

  open(
    request: DraftRequest & { wants_content: boolean; known_etag?: string | undefined },
  ): Promise<Result<OpenedDraft>> {
    const admitted = this.#admit(request);
    switch (admitted.kind) {
      case "refused":
        return Promise.resolve(admitted.failure);
      case "replay":
        return Promise.resolve(ok({ kind: "replay", replay: admitted.replay }));
      case "admitted": {
        const { record } = admitted;
        return Promise.resolve(
          ok({
            kind: "open",
            record,
            content:
              request.wants_content && request.known_etag !== draftEtag(record)
                ? this.#store.content()
                : null,
          }),
        );
      }
    }
  }

  async commit(request: DraftCommit): Promise<Result<CommittedDraft>> {
    const admitted = this.#admitAt(request);
    if (admitted.kind !== "admitted") {
      return refusedOrReplayed(admitted);
    }
    const before = admitted.record;
    const record = commitContent(before, request.change, Date.now());
    const replay = {
      status: request.status,
      etag: draftEtag(record),
      body: request.body === null ? null : withEtag(request.body, draftEtag(record)),
    };
    this.#store.transaction(() => {
      if (record !== before && request.change !== null) {
        this.#store.putContent(request.change.content);
        this.#store.putRecord(record);
      }
      this.#remember(request, replay, request.body_sha256);
    });
    await this.#list();
    return ok({ kind: "committed", record, replay });
  }

  announceFiles(request: {
    v: 1;
    workspace_id: string;
    folder: string;
  }): Promise<Result<{ readonly kind: "announced" }>> {
    if (this.#recordOf(request.workspace_id) === undefined) {
      return Promise.resolve(gone());
    }
    this.#store.noteFolder(request.folder, Date.now() + PUBLICATION_MS);
    if (this.#store.isListed) {
      this.#arm();
    } else {
      this.#alarm.arm(Date.now() + LIST_AGAIN_MS);
    }
    return Promise.resolve(ok({ kind: "announced" }));
  }

  async publish(request: PublishCommit): Promise<Result<PublishedDraft>> {
    const admitted = this.#admitAt(request);
    if (admitted.kind !== "admitted") {
      return refusedOrReplayed(admitted);
    }
    const { folder } = request.version;
    if (request.is_announced === true && !this.#store.holdsFolder(folder)) {
      // It took so long that its files are deleted: it is made again.
      return ok({ kind: "moved" });
    }
    const before = admitted.record;
    const published = publishVersion(before, request.version, Date.now());
    this.#store.transaction(() => {
      if (published.isNew) {
        this.#store.addVersion(published.version);
        this.#store.forgetFolder(folder);
      }
      if (published.record !== before) {
        this.#store.putRecord(published.record);
      }
      // The responses are made of the version and the template; the body names the version.
      this.#remember(request, {
        status: published.isNew ? 201 : 200,
        etag: draftEtag(published.record),
        body: JSON.stringify(published.version),
      });
    });
    await this.#list();
    return ok({
      kind: "published",
      is_new: published.isNew,
      version: published.version,
      record: published.record,
    });
  }

  async change(request: {
    v: 1;
    workspace_id: string;
    change: TemplateChange;
  }): Promise<Result<TemplateRecord>> {
    const record = this.#recordOf(request.workspace_id);
    if (record === undefined) {
      return gone();
    }
    const decision = decideTemplate(record, request.change, Date.now());
    if (decision.kind === "refused") {
      return decision.failure;
    }
    if (decision.kind === "changed") {
      this.#store.transaction(() => this.#store.putRecord(decision.record));
    } else if (decision.kind === "deleted") {
      this.#store.transaction(() => this.#store.markDeleted(Date.now()));
    }
    await this.#list();
    return ok(decision.kind === "changed" ? decision.record : record);
  }

  override alarm(): Promise<void> {
    return this.#alarm.fire(async () => {
      const record = this.#store.lastRecord;
      if (record === undefined) {
        return;
      }
      if (!this.#store.isConfirmed) {
        if (await this.#effects.isCreated(record)) {
          this.#store.confirm();
        } else if (Date.now() >= record.created_at_ms + UNCREATED_MS) {
          await this.#store.forget();
          return;
        }
      }
      await this.#writeLists();
      await this.#sweepFolders();
      const folderMs = this.#store.nextFolderMs;
      if (this.#store.deletedAtMs === 0) {
        this.#arm();
      } else if (folderMs === null) {
        await this.#store.forget();
      } else {
        // A publication that the deletion has refused may still write its files.
        this.#alarm.arm(folderMs);
      }
    });
  }

  /** Deletes the files of publications that never came to their commit. Safe to repeat; throws if the store does. */
  async #sweepFolders(): Promise<void> {
    for (const folder of this.#store.takeDueFolders(Date.now())) {
      await this.#effects.deleteFiles(folder);
      this.#store.forgetFolder(folder);
    }
  }

  /** The refusals and the replay of a draft write, in the order of the contract. */
  #admit(request: DraftRequest): Admitted | Refused | Replayed {
    const record = this.#recordOf(request.workspace_id);
    if (record === undefined) {
      return { kind: "refused", failure: gone() };
    }
    const { key, fingerprint } = request.idempotency;
    const known = this.#store.replay(key, Date.now());
    if (compareWithRecord(known, fingerprint) === "conflict") {
      return { kind: "refused", failure: fail("idempotency_conflict", KEY_REUSED) };
    }
    if (known !== undefined) {
      const { status, etag, body } = known;
      return { kind: "replay", replay: { status, etag, body } };
    }
    const failure = refuseWrite(record, request.if_match);
    return failure === undefined ? { kind: "admitted", record } : { kind: "refused", failure };
  }

  /** The same for a write that was prepared from one revision of the draft. */
  #admitAt(
    request: DraftRequest & { readonly base_revision: number },
  ): Admitted | Refused | Replayed | Moved {
    const admitted = this.#admit(request);
    return admitted.kind === "admitted" && admitted.record.draft_revision !== request.base_revision
      ? { kind: "moved" }
      : admitted;
  }

  #recordOf(workspaceId: string): TemplateRecord | undefined {
    const { record } = this.#store;
    return record?.workspace_id === workspaceId ? record : undefined;
  }

  #remember(request: DraftRequest, replay: DraftReplay, bodyDigest?: string): void {
    const expiresAtMs = Date.now() + IDEMPOTENCY_KEPT_MS;
    this.#store.putReplay(request.idempotency, { ...replay, bodyDigest }, expiresAtMs);
  }

  /** Updates the lists before the response; a failure is left to the alarm. */
  async #list(): Promise<void> {
    if (this.#store.isListed) {
      this.#arm();
      return;
    }
    this.#alarm.arm(Date.now() + LIST_AGAIN_MS);
    try {
      await this.#writeLists();
    } catch (error) {
      createLogger({ service: "edgeloom", object: "template_draft" }).error(
        "template_draft.lists_left_to_the_alarm",
        { template_id: this.#store.lastRecord?.id, cause: describeCause(error) },
      );
    }
  }

  async #writeLists(): Promise<void> {
    const record = this.#store.lastRecord;
    if (record === undefined || this.#store.isListed) {
      return;
    }
    const objectRevision = this.#store.revision;
    const versions = this.#store.unlistedVersions();
    await this.#effects.list(record, {
      objectRevision,
      deletedAtMs: this.#store.deletedAtMs,
      versions,
    });
    this.#store.transaction(() => {
      this.#store.markListed(objectRevision);
      this.#store.markVersionsListed(versions.at(-1)?.revision ?? 0);
    });
  }

  #arm(): void {
    const due = [
      this.#store.purge(Date.now()),
      this.#store.nextFolderMs,
      this.#store.isConfirmed ? null : Date.now() + UNCREATED_MS,
    ].filter((atMs) => atMs !== null);
    if (due.length > 0) {
      this.#alarm.arm(Math.min(...due));
    }
  }
}

/** The result of a write that is not carried out. */
function refusedOrReplayed(answer: Refused | Replayed | Moved): Result<Replayed | Moved> {
  return answer.kind === "refused" ? answer.failure : ok(answer);
}

function gone(): Failure {
  return fail("not_found", "There is no such design template. It may have been deleted.");
}

/** `{…}` with `draft_etag` as the first member. */
function withEtag(body: string, etag: string): string {
  const rest = body.slice(1);
  return `{"draft_etag":${JSON.stringify(etag)}${rest === "}" ? "" : ","}${rest}`;
}

parseEntries(TemplateDraftObject, isEnvUsable, TEMPLATE_ENTRIES);
