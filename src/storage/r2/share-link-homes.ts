/**
 * Whose a share link is, by the digest of its token, for all isolates (docs/decisions/shards.md): with several databases, a
 * token that no link has is asked of none of them. Entries are never deleted, and one without a link leads nowhere.
 */
export interface ShareLinkHome {
  readonly workspaceId: string;
  readonly organizationId: string;
}

export async function readShareLinkHome(
  files: Pick<R2Bucket, "get">,
  tokenHash: string,
): Promise<ShareLinkHome | undefined> {
  const text = await (await files.get(nameOf(tokenHash)))?.text();
  const [workspaceId, organizationId] = text?.split(" ") ?? [];
  return workspaceId === undefined || organizationId === undefined
    ? undefined
    : { workspaceId, organizationId };
}

/** Enters a link before anybody has its token. */
export async function enterShareLink(
  files: Pick<R2Bucket, "put">,
  tokenHash: string,
  { workspaceId, organizationId }: ShareLinkHome,
): Promise<void> {
  await files.put(nameOf(tokenHash), `${workspaceId} ${organizationId}`);
}

function nameOf(tokenHash: string): string {
  return `directory/share-links/${tokenHash}`;
}
