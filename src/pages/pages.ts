/** All pages of the service. */
import type { Page } from "../platform/page.ts";
import { docsAsset } from "./docs/docs-asset.ts";
import { codeGuide, errorGuide, errorList } from "./docs/error-pages.ts";
import { limitsPage } from "./docs/limits-page.ts";
import { operationPage, referencePage } from "./docs/reference-pages.ts";
import { homePage } from "./home/home-page.ts";
import { sharePage } from "./share/share-page.ts";

export const PAGES: readonly Page[] = [
  homePage,
  referencePage,
  operationPage,
  errorList,
  errorGuide,
  codeGuide,
  limitsPage,
  docsAsset,
  sharePage,
];
