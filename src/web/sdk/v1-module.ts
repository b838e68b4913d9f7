/** The SDK as a module: `/embed/sdk/v1.mjs`. */
import { createSdk } from "./create-sdk.ts";

export const { version, createRuntime, createEditor } = createSdk(import.meta.url);
