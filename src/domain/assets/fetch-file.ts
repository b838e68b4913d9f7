import { ASSET_BYTES_MAX } from "../../contracts/files/asset.ts";
import { ASSET_TYPES, extensionOf } from "../../contracts/files/asset-types.ts";
import { cleanAssetName } from "../../formats/clean-asset-name.ts";
import { dispositionName } from "../../formats/disposition-name.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { EgressError } from "../../platform/egress/egress-error.ts";
import { guardedFetch, type GuardedResponse } from "../../platform/egress/guarded-fetch.ts";
import type { EgressEnv } from "../../platform/egress/loopback-exceptions.ts";
import { nameAsset, type NamedAsset } from "./name-asset.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/**
 * docs/contract/assets.md#import. The first timeout includes the response headers, because a fetch
 * does not report when it has connected.
 */
const RESPONSE_MAX_MS = LIMITS.import_answer.value;
const TOTAL_MAX_MS = LIMITS.import_total.value;

/** Extensions of server programs, which say nothing about the type of the response. */
const PROGRAMS = new Set(["php", "asp", "aspx", "jsp", "cgi", "do", "action", "html", "htm"]);

export interface FetchedFile {
  readonly named: NamedAsset;
  /** Size declared by the response, undefined if it declares none; only a hint. */
  readonly declaredBytes: number | undefined;
  /** Throws AppError `fetch_failed` or `file_too_large`. Read it to its end or call `return`. */
  readonly pieces: AsyncGenerator<Uint8Array, void>;
}

/**
 * Fetches a file from a caller's address, under the egress guard. Its type is taken from
 * `fileName`, else the address, else `Content-Disposition`, else `Content-Type`
 * (docs/contract/assets.md#import). Throws `invalid_url`, `fetch_failed`, `unsupported_type`,
 * `file_too_large`.
 */
export async function fetchFile(
  env: EgressEnv,
  address: string,
  fileName: string | undefined,
  signal?: AbortSignal,
): Promise<FetchedFile> {
  // Before the fetch: a name with a type that is not accepted is rejected without a request.
  const given = fileName === undefined ? undefined : nameAsset(fileName, "unsupported_type");
  let response: GuardedResponse;
  try {
    response = await guardedFetch(env, address, {
      headers: { accept: "*/*", "user-agent": "edgeloom-import/1" },
      responseTimeoutMs: RESPONSE_MAX_MS,
      totalTimeoutMs: TOTAL_MAX_MS,
      maxBytes: ASSET_BYTES_MAX,
      redirects: "follow",
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    throw asFetchError(error);
  }
  try {
    if (response.status !== 200) {
      throw new AppError(
        "fetch_failed",
        `The address returned ${response.status} instead of 200. It must be reachable without cookies, credentials or special headers.`,
      );
    }
    const declared = declaredBytesOf(response.headers);
    if (declared !== undefined && declared > ASSET_BYTES_MAX) {
      throw tooLarge();
    }
    return {
      named: given ?? nameResponse(address, response),
      declaredBytes: declared,
      pieces: piecesOf(response.body, declared),
    };
  } catch (error) {
    await response.body.cancel();
    throw error;
  }
}

/** Throws `unsupported_type`; if no source has a type, the message says how to send one. */
function nameResponse(address: string, response: GuardedResponse): NamedAsset {
  const name = nameOf(address, response);
  if (extensionOf(name) === "") {
    const type = response.headers.get("content-type")?.slice(0, 100) ?? "(none)";
    throw new AppError(
      "unsupported_type",
      `The type of the file cannot be determined from the address, a Content-Disposition or the Content-Type, ${type}. Send file_name with an import, or use an address that ends in one of ${[...ASSET_TYPES.keys()].join(", ")}.`,
    );
  }
  return nameAsset(name, "unsupported_type");
}

/** The first source with an accepted type, or else the first with any type. */
function nameOf(address: string, { url, headers }: GuardedResponse): string {
  const ofPath = lastSegment(address);
  const extension = extensionOf(ofPath);
  // An address that redirects may have no type while its target has one.
  const named = [ofPath, lastSegment(url)].find((name) => {
    const own = extensionOf(name);
    return own !== "" && !PROGRAMS.has(own);
  });
  if (named !== undefined) {
    return named;
  }
  const disposed = dispositionName(headers.get("content-disposition"));
  if (disposed !== undefined && extensionOf(cleanAssetName(disposed)) !== "") {
    return disposed;
  }
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const stem = ofPath.slice(0, extension === "" ? undefined : -(extension.length + 1));
  return `${stem === "" ? "file" : stem}.${extensionOfType(type) ?? (extension === "" ? "" : extension)}`;
}

/** Alternative names of content types. */
const TYPE_ALIASES = new Map([
  ["image/jpg", "jpg"],
  ["audio/mp3", "mp3"],
  ["audio/x-wav", "wav"],
  ["audio/wave", "wav"],
  ["audio/x-flac", "flac"],
  ["audio/x-m4a", "m4a"],
  ["application/csv", "csv"],
  ["text/json", "json"],
  ["application/ogg", "ogg"],
]);

function extensionOfType(type: string): string | undefined {
  for (const [extension, { contentType }] of ASSET_TYPES) {
    if (type !== "" && contentType.split(";", 1)[0] === type) {
      return extension;
    }
  }
  return TYPE_ALIASES.get(type);
}

function lastSegment(address: string): string {
  const path = URL.parse(address)?.pathname ?? "";
  return cleanAssetName(decoded(path.slice(path.lastIndexOf("/") + 1)));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Undefined if the transferred bytes are not the file's: compressed, or of unknown length. */
function declaredBytesOf(headers: Headers): number | undefined {
  const encoding = headers.get("content-encoding") ?? "identity";
  const length = headers.get("content-length") ?? "";
  return encoding === "identity" && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  declared: number | undefined,
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.byteLength;
      yield piece;
    }
  } catch (error) {
    throw asFetchError(error);
  }
  if (declared !== undefined && size < declared) {
    throw new AppError(
      "fetch_failed",
      `The response ended after ${size} of ${declared} bytes. Try again.`,
    );
  }
}

function asFetchError(error: unknown): unknown {
  if (!(error instanceof EgressError)) {
    return error;
  }
  switch (error.code) {
    case "url_refused":
      return new AppError("invalid_url", `${error.message} Send a public https address.`);
    case "body_too_large":
      return tooLarge();
    case "timeout":
    case "connection_failed":
    case "too_many_redirects":
      return new AppError("fetch_failed", `The address could not be fetched. ${error.message}`, {
        cause: error.cause,
      });
  }
}

function tooLarge(): AppError {
  return new AppError(
    "file_too_large",
    `The address returns more than ${ASSET_BYTES_MAX} bytes (250 MB), the maximum size of a file.`,
  );
}
