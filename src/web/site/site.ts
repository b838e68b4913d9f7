/** The behavior of the site's pages beyond HTML: theme, tabs, copy, filter, sign-in and sending requests. */
import { startCodeBlocks } from "./code-blocks.ts";
import { startNavigation } from "./navigation.ts";
import { startSharePage } from "./share-page.ts";
import { startSignIn } from "./sign-in.ts";
import { startTheme } from "./theme-toggle.ts";
import { startTryForm } from "./try-form.ts";

startTheme();
startCodeBlocks();
startNavigation();
startSignIn();
startTryForm();
startSharePage();
