/** All pages of the service. */
import type { Page } from "../platform/page.ts";
import { docsAsset } from "./docs/docs-asset.ts";
import {
  codeGuide,
  errorGuide,
  errorList,
  limitsPage,
  operationPage,
  referencePage,
} from "./docs/docs-pages.ts";
import { embedAsset, embedSdk } from "./embed/embed-files.ts";
import { editorPage, runtimeInterfacePage, runtimePage } from "./embed/embed-pages.ts";
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
  // Before the paths with parameters, of which the first that matches responds.
  embedAsset,
  embedSdk,
  editorPage,
  runtimePage,
  runtimeInterfacePage,
];
