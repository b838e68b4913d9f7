/** The SDK as a script: `/embed/sdk/v1.js`, with the global name `Edgeloom`. */
import { createSdk } from "./create-sdk.ts";

const own = document.currentScript;

export const { version, createRuntime, createEditor } = createSdk(
  own instanceof HTMLScriptElement ? own.src : location.href,
);
