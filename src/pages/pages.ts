/** Every page of the service. */
import type { Page } from "../platform/page.ts";
import { docsAsset } from "./docs/docs-asset.ts";
import { errorGuide, errorList } from "./docs/error-pages.ts";
import { limitsPage } from "./docs/limits-page.ts";
import { referencePage } from "./docs/reference-page.ts";

export const PAGES: readonly Page[] = [referencePage, errorList, errorGuide, limitsPage, docsAsset];
