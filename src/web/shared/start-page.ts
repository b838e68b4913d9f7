import {
  type EmbedLocale,
  type EmbedPageQuery,
  readPageQuery,
  TOKEN_NAMES,
} from "../../contracts/embeds/page-query.ts";

export interface StartedPage {
  /** Kept in memory only. */
  readonly token: string;
  readonly query: EmbedPageQuery;
  /** Origins of the token, as the service has verified them. */
  readonly allowedOrigins: readonly string[];
  /** The language that the service chose. */
  readonly locale: EmbedLocale;
  /** What the page shows, as JSON of `GET /api/embed/config`; null where the service did not say. */
  readonly config: string | null;
  /** Parts of the path below `/embed/`: the widget's workflow and interface, or `editor`. */
  readonly path: readonly string[];
}

/**
 * Reads the token from the address and takes it out of it, before anything else can see it; reads the other settings.
 * Call it first in the page's script.
 */
export function startPage(): StartedPage {
  const address = new URL(location.href);
  let token = "";
  for (const name of TOKEN_NAMES) {
    token ||= address.searchParams.get(name) ?? "";
    address.searchParams.delete(name);
  }
  history.replaceState(history.state, "", address.pathname + address.search);
  const query = readPageQuery(address.searchParams);
  return {
    token,
    query,
    allowedOrigins: readOrigins(),
    locale: query.locale ?? "en",
    config: document.querySelector<HTMLMetaElement>('meta[name="svc-config"]')?.content ?? null,
    path: address.pathname.split("/").slice(2).map(decodeURIComponent),
  };
}

function readOrigins(): readonly string[] {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="svc-allowed-origins"]');
  return meta?.content.split(" ").filter((origin) => origin !== "") ?? [];
}
