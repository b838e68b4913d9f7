/** Tabs and copy buttons of code blocks. A language selected in one block is selected in all blocks of the page. */
export function startCodeBlocks(): void {
  for (const list of document.querySelectorAll<HTMLElement>(".code-tabs")) {
    const tabs = [...list.querySelectorAll<HTMLButtonElement>("[role=tab]")];
    for (const [at, tab] of tabs.entries()) {
      tab.addEventListener("click", () => {
        choose(tabs, tab);
        chooseElsewhere(tab.textContent, list);
      });
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const next = step === undefined ? undefined : tabs[(at + step + tabs.length) % tabs.length];
        if (next !== undefined) {
          event.preventDefault();
          choose(tabs, next);
          next.focus();
        }
      });
    }
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
    button.addEventListener("click", () => {
      void copy(button);
    });
  }
}

function choose(tabs: readonly HTMLButtonElement[], chosen: HTMLButtonElement): void {
  for (const tab of tabs) {
    const isChosen = tab === chosen;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
    if (panel !== null) {
      panel.hidden = !isChosen;
    }
  }
}

function chooseElsewhere(label: string, except: HTMLElement): void {
  for (const list of document.querySelectorAll<HTMLElement>(".code-tabs")) {
    const tabs = [...list.querySelectorAll<HTMLButtonElement>("[role=tab]")];
    const same = tabs.find((tab) => tab.textContent === label);
    if (list !== except && same !== undefined) {
      choose(tabs, same);
    }
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const shown = button.closest("figure")?.querySelector("pre:not([hidden])");
  const label = button.getAttribute("aria-label") ?? "Copy";
  try {
    await navigator.clipboard.writeText(shown?.textContent ?? "");
    button.dataset["done"] = "";
    button.setAttribute("aria-label", "Copied");
  } catch {
    button.setAttribute(
      "aria-label",
      "The browser does not allow copying. Select the text instead",
    );
  }
  setTimeout(() => {
    delete button.dataset["done"];
    button.setAttribute("aria-label", label);
  }, 2000);
}
