/** The page of a share link that needs a sign-in: asked for again with the token of the account. */
import { onAccountChange, readAccount } from "./account.ts";
import { startCodeBlocks } from "./code-blocks.ts";
import { openSignIn } from "./sign-in.ts";

export function startSharePage(): void {
  const main = document.querySelector<HTMLElement>("[data-share]");
  const button = main?.querySelector<HTMLButtonElement>("[data-share-sign-in]");
  if (main === null || button === null || button === undefined) {
    return;
  }
  button.addEventListener("click", openSignIn);
  const show = () => {
    const account = readAccount();
    if (account !== null) {
      void showShared(main, account.token);
    }
  };
  show();
  onAccountChange(show);
}

async function showShared(main: HTMLElement, token: string): Promise<void> {
  const response = await fetch(location.pathname, {
    headers: { Authorization: `Bearer ${token}` },
  });
  if (response.status === 401) {
    return;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const shared = page.querySelector("[data-share]");
  if (shared !== null) {
    document.title = page.title;
    main.replaceChildren(...shared.childNodes);
    startCodeBlocks();
  }
}
