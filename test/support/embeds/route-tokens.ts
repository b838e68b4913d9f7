import type { EndpointDeclaration } from "../../../src/api/endpoint-declaration.ts";
import { ADMIN_TOKEN } from "../api-caller.ts";
import { mint, newEmbedCaller } from "./embed-caller.ts";

/** The tokens of one caller: of its key, and of an embed of one of its workflows. */
export interface RouteTokens {
  readonly token: string;
  readonly embedToken: string;
  readonly workspaceId: string;
}

export async function newRouteTokens(): Promise<RouteTokens> {
  const caller = await newEmbedCaller();
  const { token: embedToken } = await mint(caller);
  return { token: caller.token, embedToken, workspaceId: caller.workspaceId };
}

/** The token that a route takes. */
export function tokenOf(
  { access }: Pick<EndpointDeclaration, "access">,
  { token, embedToken }: RouteTokens,
): string {
  if (access === "operator") {
    return ADMIN_TOKEN;
  }
  return typeof access === "string" && access.startsWith("embed:") ? embedToken : token;
}
