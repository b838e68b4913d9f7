import type { SharedTemplate } from "../../../contracts/templates/share-link.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import { sha256Hex } from "../../../lib/sha256.ts";
import type { AppContext } from "../../../platform/context.ts";
import { believeOrganization, shardsOf } from "../../../storage/d1/databases.ts";
import { hasAllShareLinks } from "../../../storage/d1/share-link-entries.ts";
import {
  findShareLink,
  type OpenedShareLink,
  ShareLinkStore,
} from "../../../storage/d1/share-link-store.ts";
import { TemplateRows, type TemplateVersionRow } from "../../../storage/d1/template-rows.ts";
import { readShareLinkHome } from "../../../storage/r2/share-link-homes.ts";
import { loadContract } from "../load-revision.ts";
import { shownContract } from "../stored-contract.ts";
import { timeOf } from "./share-links.ts";
import { countUnknown, requireFewUnknown } from "./unknown-tokens.ts";

const TOKEN = /^[\w-]{43}$/;

/** What an open link shares. */
export interface Shared {
  readonly link: OpenedShareLink;
  readonly version: TemplateVersionRow;
}

/**
 * What a share link shows (docs/contract/templates.md#sharing). `signIn` throws unless the caller has a valid token; it
 * is called for links that need one, before anything is said about them. Throws `not_found`, `share_link_closed`; with several
 * shards, `too_many_requests` for an address that guesses.
 */
export async function readShared(
  ctx: AppContext,
  token: string,
  signIn: () => Promise<unknown>,
  address: string | undefined,
): Promise<SharedTemplate> {
  const link = await findLink(ctx, token, address ?? "local");
  if (link.require_sign_in !== 0) {
    await signIn();
  }
  const { version } = await openLink(ctx, link);
  const loaded = await loadContract(ctx.env, link.workspace_id, version);
  if (loaded === undefined) {
    throw goneFiles(version);
  }
  const { page_count, fields } = shownContract(loaded.contract);
  return {
    name: link.name,
    description: link.description,
    page_count,
    fields: fields as SharedTemplate["fields"],
    imports_left: link.max_imports === null ? null : link.max_imports - link.import_count,
    expires_at: timeOf(link.expires_at_ms),
  };
}

/** The revision that an open link shares. Throws `not_found`, `share_link_closed`. */
export async function requireShared(ctx: AppContext, token: string): Promise<Shared> {
  return await openLink(ctx, await findLink(ctx, token));
}

export function linkIsClosed(): AppError {
  return new AppError(
    "share_link_closed",
    "The share link is closed: it was revoked, has expired or is used up, or its template is archived. Ask for a new link.",
  );
}

export function goneFiles({ revision, template_id }: TemplateVersionRow): AppError {
  return new AppError(
    "internal_error",
    `Revision ${String(revision)} of ${template_id} could not be read.`,
  );
}

/** With an address, the caller may be anybody. */
async function findLink(
  ctx: AppContext,
  token: string,
  address?: string,
): Promise<OpenedShareLink> {
  const guesser = shardsOf(ctx.env).length > 1 ? address : undefined;
  if (guesser !== undefined) {
    requireFewUnknown(guesser, ctx.nowMs());
  }
  const link = TOKEN.test(token) ? await lookUp(ctx, await sha256Hex(token)) : undefined;
  if (link === undefined) {
    if (guesser !== undefined) {
      countUnknown(guesser, ctx.nowMs());
    }
    throw new AppError(
      "not_found",
      "There is no such share link. Send the token as the link was made, the last part of its address.",
    );
  }
  return link;
}

/** With several databases, R2 says whose link it is. All are asked only if R2 does not have the links of an older release yet. */
async function lookUp(ctx: AppContext, tokenHash: string): Promise<OpenedShareLink | undefined> {
  const { env } = ctx;
  if (shardsOf(env).length > 1) {
    const home = await readShareLinkHome(env.FILES, tokenHash);
    if (home !== undefined) {
      believeOrganization(env, home.workspaceId, home.organizationId);
      return await new ShareLinkStore(env, home.workspaceId).findByToken(tokenHash, ctx.nowMs());
    }
    if (await hasAllShareLinks(env)) {
      return undefined;
    }
  }
  return await findShareLink(env, tokenHash, ctx.nowMs());
}

async function openLink(ctx: AppContext, link: OpenedShareLink): Promise<Shared> {
  const version =
    link.is_open === 0
      ? undefined
      : await new TemplateRows(ctx.env, link.workspace_id).version(link.template_id, link.revision);
  if (version === undefined) {
    throw linkIsClosed();
  }
  return { link, version };
}
