import { SAMPLE_PROVIDER_ID } from "../../contracts/provider.ts";
import { findProvider } from "../../providers/providers.ts";
import type { ConfiguredProvider } from "./model-tools.ts";

/** The provider of this id, undefined if there is none (any more) that this release can call. */
export function configuredProvider(id: string): ConfiguredProvider | undefined {
  const provider = id === SAMPLE_PROVIDER_ID ? findProvider("sample") : undefined;
  return provider && { provider, connection: null };
}
