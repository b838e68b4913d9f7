/**
 * The access token of the signed-in user, kept in this tab only. The client secret is sent once, to this service's own
 * token endpoint, and not kept.
 */
const KEY = "edgeloom-account";

export interface Account {
  readonly clientId: string;
  readonly token: string;
  readonly expiresAtMs: number;
}

export function readAccount(): Account | null {
  const text = sessionStorage.getItem(KEY);
  if (text === null) {
    return null;
  }
  const account = JSON.parse(text) as Account;
  if (account.expiresAtMs <= Date.now()) {
    sessionStorage.removeItem(KEY);
    return null;
  }
  return account;
}

export function forgetAccount(): void {
  sessionStorage.removeItem(KEY);
  announce();
}

/** Exchanges the credentials for a token. Throws Error with the problem's detail. */
export async function signIn(clientId: string, clientSecret: string): Promise<void> {
  const response = await fetch("/api/v1/auth/token", {
    method: "POST",
    headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  const reply = (await response.json()) as {
    readonly access_token?: string;
    readonly expires_in?: number;
    readonly detail?: string;
  };
  if (!response.ok || reply.access_token === undefined) {
    throw new Error(reply.detail ?? `The token endpoint returned ${response.status}.`);
  }
  const account: Account = {
    clientId,
    token: reply.access_token,
    expiresAtMs: Date.now() + (reply.expires_in ?? 3600) * 1000,
  };
  sessionStorage.setItem(KEY, JSON.stringify(account));
  announce();
}

export function onAccountChange(listen: () => void): void {
  document.addEventListener("edgeloom:account", listen);
}

function announce(): void {
  document.dispatchEvent(new CustomEvent("edgeloom:account"));
}
