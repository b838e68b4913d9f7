import type { SitePage } from "../site/site-page.ts";

/** Lists of pages in which the current one is marked; each is a file of its own beside the pages. */
export type NavigationName = "reference-list" | "error-list";

/**
 * A page of the documentation as `scripts/build-assets.ts` writes it. Its body has `BUILT_ORIGIN` for the service's address and
 * `NAVIGATION_HERE` for its navigation.
 */
export interface DocsPage extends SitePage {
  readonly navigation?: {
    readonly name: NavigationName;
    /** Of the current page in the list. */
    readonly href?: string;
    /** Name of the current page. */
    readonly label: string;
  };
}

export const NAVIGATION_HERE = "<!-- navigation -->";
/** Place of the name of the current page in a navigation. */
export const LABEL_HERE = "<!-- label -->";
