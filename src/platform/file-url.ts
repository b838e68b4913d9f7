/** Public addresses of stored files: the path contains 256 random bits (docs/contract/results.md#file-addresses). */

/** `{workspace}/runs/{run or batch}/{43 characters}/{file name}`: the only keys that are served without a caller's token. */
const OUTPUT_KEY =
  /^ws_[0-9a-f]{32}\/runs\/(?:run|bat)_[0-9a-f]{32}\/[A-Za-z0-9_-]{43}\/[^/\\\p{Cc}]{1,255}$/u;

/** `{workspace}/assets/{43 characters}/{file name}`. */
const ASSET_KEY = /^ws_[0-9a-f]{32}\/assets\/[A-Za-z0-9_-]{43}\/[A-Za-z0-9._-]{1,120}$/;

/** `{workspace}/runs/{run}/{43 characters}/{node}-{element}/{file name}`. */
const HELD_KEY =
  /^(ws_[0-9a-f]{32})\/runs\/(run_[0-9a-f]{32})\/([A-Za-z0-9_-]{43})\/(\d{1,9})-(\d{1,9})\/([^/\\\p{Cc}]{1,255})$/u;

const CELL_NAME = /^cell-(\d{1,9})-(\d{1,9})\.(?:txt|json)$/;

/** Whether an R2 key has the form that run objects and runners use for outputs. */
export function isOutputKey(key: string): boolean {
  return OUTPUT_KEY.test(key) && !/\/\.{1,2}$/.test(key);
}

/** Whether an R2 key has the form of an asset's key. */
export function isAssetKey(key: string): boolean {
  return ASSET_KEY.test(key) && !/\/\.{1,2}$/.test(key);
}

/**
 * The R2 key of a picture's thumbnail. That of an output is among its run's files, so that it is deleted with them; none
 * has the form of a key that is served. `key` is the path of an output or an asset.
 */
export function thumbnailKey(key: string): string {
  const [workspace, kind, ...rest] = key.split("/");
  return kind === "runs"
    ? [workspace, kind, rest[0], THUMBNAILS, ...rest.slice(1)].join("/")
    : [workspace, THUMBNAILS, kind, ...rest].join("/");
}

/** Whether an R2 key is that of a thumbnail. */
export function isThumbnailKey(key: string): boolean {
  return key.split("/")[3] === THUMBNAILS;
}

const THUMBNAILS = "thumbnails";

/** Returns the address of a stored output. `baseUrl` has no trailing slash. */
export function fileUrl(baseUrl: string, key: string): string {
  return `${baseUrl}/files/${key.split("/").map(encodeURIComponent).join("/")}`;
}

/**
/**
 * Returns the address of a body that is kept in a row of the run object. `token` is the element's 43 characters (from
 * 256 random bits, base64url); `node` is the node's index in the plan.
 */
export function cellUrl(
  baseUrl: string,
  cell: {
    workspaceId: string;
    runId: string;
    token: string;
    node: number;
    element: number;
    isJson: boolean;
  },
): string {
  const name = `cell-${String(cell.node)}-${String(cell.element)}.${cell.isJson ? "json" : "txt"}`;
  return fileUrl(baseUrl, `${cell.workspaceId}/runs/${cell.runId}/${cell.token}/${name}`);
}

/** The address of a file that the run object serves because its bytes are not an R2 object. */
export interface HeldFilePlace {
  readonly workspaceId: string;
  readonly runId: string;
  /** 43 characters for this element, from 256 random bits. */
  readonly token: string;
  /** Index of the output node in the plan. */
  readonly node: number;
  readonly element: number;
  /** File name as in the file's key. */
  readonly name: string;
}

/** Returns the path of a held file's address, below `/files/`. */
export function heldFileKey({
  workspaceId,
  runId,
  token,
  node,
  element,
  name,
}: HeldFilePlace): string {
  return `${workspaceId}/runs/${runId}/${token}/${String(node)}-${String(element)}/${name}`;
}

/** Parses this path; returns undefined for any other. */
export function parseHeldFileKey(key: string): HeldFilePlace | undefined {
  const match = HELD_KEY.exec(key);
  if (match === null || /\/\.{1,2}$/.test(key)) {
    return undefined;
  }
  const [, workspaceId = "", runId = "", token = "", node, element, name = ""] = match;
  return { workspaceId, runId, token, node: Number(node), element: Number(element), name };
}

/** Returns the run and element of an output key, if the key belongs to a cell. */
export function parseCellKey(
  key: string,
): { runId: string; token: string; node: number; element: number } | undefined {
  const [, , runId, token, name] = key.split("/");
  const match = name === undefined ? null : CELL_NAME.exec(name);
  if (match === null || runId === undefined || token === undefined) {
    return undefined;
  }
  return { runId, token, node: Number(match[1]), element: Number(match[2]) };
}
