/** The query of an embed page, read alike by the Worker and by the page's script (docs/embeds.md#address). */

/** Languages of the pages. */
export const EMBED_LOCALES = ["en", "de", "fr", "es", "ja", "ar"] as const;
export type EmbedLocale = (typeof EMBED_LOCALES)[number];

export const EMBED_LAYOUTS = ["default", "compact", "inline", "headless"] as const;
export type EmbedLayout = (typeof EMBED_LAYOUTS)[number];

/** Names of settings that hide or show a part of the widget. */
export const EMBED_SWITCHES = [
  "hideHeader",
  "hideExecuteButton",
  "hidePoweredBy",
  "hideProgress",
  "hideOutput",
  "showName",
  "showBranding",
] as const;
export type EmbedSwitch = (typeof EMBED_SWITCHES)[number];

/** Settings of a page; each is absent if the query does not have a usable value of it. */
export interface EmbedPageQuery {
  readonly theme?: "light" | "dark";
  /** `#RGB` or `#RRGGBB`. */
  readonly primaryColor?: string;
  readonly locale?: EmbedLocale;
  readonly layout?: EmbedLayout;
  readonly switches: Readonly<Partial<Record<EmbedSwitch, boolean>>>;
  /** Of the widget: id of a custom interface. */
  readonly interface?: string;
  /** Of the editor: the workflow to open. */
  readonly workflow?: string;
  /** Of the editor: name of the workflow that it creates. */
  readonly name?: string;
}

/** Names of the token in the query; a page's script removes them from the address. */
export const TOKEN_NAMES = ["token", "editorToken"] as const;
const WORKFLOW_NAMES = ["workflowExternalId", "workflow_external_id", "workflow"] as const;
const NAME_NAMES = ["name", "workflowName", "workflow_name"] as const;

/** Reads the settings. A value that cannot be used counts as absent, and an unknown name is ignored. */
export function readPageQuery(query: URLSearchParams): EmbedPageQuery {
  const theme = oneOf(["light", "dark"] as const, query.get("theme"));
  const color = /^#?((?:[0-9a-f]{3}){1,2})$/i.exec(query.get("primaryColor") ?? "")?.[1];
  const locale = matchLocale(query.get("locale") ?? "");
  const layout =
    oneOf(EMBED_LAYOUTS, query.get("layout")) ??
    (readFlag(query.get("compact")) === true ? "compact" : undefined);
  const named = firstOf(query, ["interface"]);
  const workflow = firstOf(query, WORKFLOW_NAMES);
  const name = firstOf(query, NAME_NAMES);
  return {
    switches: Object.fromEntries(
      EMBED_SWITCHES.flatMap((key) => {
        const flag = readFlag(query.get(key));
        return flag === undefined ? [] : [[key, flag]];
      }),
    ),
    ...(theme !== undefined && { theme }),
    ...(color !== undefined && { primaryColor: `#${color}` }),
    ...(locale !== undefined && { locale }),
    ...(layout !== undefined && { layout }),
    ...(named !== undefined && { interface: named }),
    ...(workflow !== undefined && { workflow }),
    ...(name !== undefined && { name }),
  };
}

/** The language of a page for a language tag: `de-AT` gives `de`. Undefined if no page is in this language. */
export function matchLocale(tag: string): EmbedLocale | undefined {
  return oneOf(EMBED_LOCALES, tag.split(/[-_]/, 1)[0]?.toLowerCase() ?? "");
}

/** The direction of a language's script. */
export function directionOf(locale: EmbedLocale): "ltr" | "rtl" {
  return locale === "ar" ? "rtl" : "ltr";
}

function readFlag(value: string | null): boolean | undefined {
  if (value === "true" || value === "1") {
    return true;
  }
  return value === "false" || value === "0" ? false : undefined;
}

function firstOf(query: URLSearchParams, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = query.get(name)?.trim();
    if (value !== undefined && value !== "") {
      return value;
    }
  }
  return undefined;
}

function oneOf<Value extends string>(
  values: readonly Value[],
  given: string | null,
): Value | undefined {
  return values.find((value) => value === given);
}
