import { forgetAccount, onAccountChange, readAccount, signIn } from "./account.ts";

/** The dialog behind the header's button: client id and secret, or a pasted credentials file. */
export function startSignIn(): void {
  const button = document.querySelector<HTMLButtonElement>("[data-sign-in]");
  if (button === null) {
    return;
  }
  const word = button.querySelector("span");
  const show = () => {
    const account = readAccount();
    if (word !== null) {
      word.textContent = account === null ? "Sign in" : "Sign out";
    }
    button.title = account === null ? "" : `Signed in as ${account.clientId}`;
  };
  show();
  onAccountChange(show);
  button.addEventListener("click", () => {
    if (readAccount() === null) {
      openSignIn();
    } else {
      forgetAccount();
    }
  });
}

const DIALOG = `<form method="dialog" class="sign-f">
<header><h2 id="sign-in-title">Sign in with an API key</h2></header>
<div class="body stack"><p>The secret goes to this service only and is not kept. The token lasts an hour and stays in this tab.</p>
<div class="field"><label class="label" for="sign-in-id">Client ID</label><input class="input mono" id="sign-in-id" name="id" autocomplete="username" spellcheck="false" required></div>
<div class="field"><label class="label" for="sign-in-secret">Client secret</label><input class="input mono" id="sign-in-secret" name="secret" type="password" autocomplete="current-password" required><p class="help">Or paste all of <code>credentials.json</code> into the first field.</p></div>
<p class="err" role="alert" data-error hidden></p></div>
<footer><button class="btn" type="button" data-cancel>Cancel</button><button class="btn btn-primary" type="submit">Sign in</button></footer></form>`;

/** Opens the dialog; a successful sign-in closes it. */
export function openSignIn(): void {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog";
  dialog.setAttribute("aria-labelledby", "sign-in-title");
  dialog.innerHTML = DIALOG;
  document.body.append(dialog);
  dialog.addEventListener("close", () => {
    dialog.remove();
  });
  const find = (selector: string) => dialog.querySelector<HTMLInputElement>(selector);
  const id = find("#sign-in-id");
  const secret = find("#sign-in-secret");
  find("[data-cancel]")?.addEventListener("click", () => {
    dialog.close();
  });
  id?.addEventListener("paste", (event) => {
    const pasted = readCredentials(event.clipboardData?.getData("text") ?? "");
    if (pasted !== null && secret !== null) {
      event.preventDefault();
      id.value = pasted.clientId;
      secret.value = pasted.clientSecret;
    }
  });
  dialog.querySelector("form")?.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit(dialog, id?.value.trim() ?? "", secret?.value ?? "");
  });
  dialog.showModal();
}

async function submit(dialog: HTMLDialogElement, id: string, secret: string): Promise<void> {
  const button = dialog.querySelector<HTMLButtonElement>("[type=submit]");
  const error = dialog.querySelector<HTMLElement>("[data-error]");
  button?.setAttribute("aria-disabled", "true");
  try {
    await signIn(id, secret);
    dialog.close();
  } catch (thrown) {
    if (error !== null) {
      error.textContent = thrown instanceof Error ? thrown.message : String(thrown);
      error.hidden = false;
    }
  } finally {
    button?.removeAttribute("aria-disabled");
  }
}

/** The id and secret in the text of a credentials file; null if it is not one. */
function readCredentials(text: string): { clientId: string; clientSecret: string } | null {
  try {
    const file = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    const clientId = file?.["client_id"];
    const clientSecret = file?.["client_secret"];
    return typeof clientId === "string" && typeof clientSecret === "string"
      ? { clientId, clientSecret }
      : null;
  } catch {
    return null;
  }
}
