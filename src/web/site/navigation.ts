/**
 * The list beside the text: a filter by words, a scroll position that shows the current entry, and a copy in the menu
 * of narrow screens.
 */
export function startNavigation(): void {
  const nav = document.querySelector<HTMLElement>("[data-operations]");
  if (nav === null) {
    return;
  }
  const menu = copyIntoMenu(nav);
  const current = nav.querySelector<HTMLElement>("[aria-current=page]");
  if (current !== null && nav.scrollHeight > nav.clientHeight) {
    nav.scrollTop = current.offsetTop - nav.clientHeight / 2;
  }
  const input = nav.querySelector<HTMLInputElement>("[data-filter]");
  for (const list of [nav, menu]) {
    const field = list?.querySelector<HTMLInputElement>("[data-filter]");
    field?.addEventListener("input", () => {
      filter(list, field.value);
    });
  }
  document.addEventListener("keydown", (event) => {
    const isTyping =
      event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input?.focus();
    }
  });
}

/** The menu of narrow screens gets the same filter and list. */
function copyIntoMenu(nav: HTMLElement): HTMLElement | null {
  const place = document.querySelector<HTMLElement>("[data-operations-copy]");
  for (const part of nav.querySelectorAll(".search, [data-none], section")) {
    place?.append(part.cloneNode(true));
  }
  return place;
}

function filter(nav: HTMLElement | null, text: string): void {
  if (nav === null) {
    return;
  }
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const section of nav.querySelectorAll<HTMLElement>("section")) {
    const heading = section.querySelector("h2")?.textContent.toLowerCase() ?? "";
    let inSection = 0;
    for (const item of section.querySelectorAll<HTMLElement>("li")) {
      const own = `${item.textContent} ${item.dataset["words"] ?? ""} ${heading}`.toLowerCase();
      item.hidden = !words.every((word) => own.includes(word));
      inSection += item.hidden ? 0 : 1;
    }
    section.hidden = inSection === 0;
    shown += inSection;
  }
  const none = nav.querySelector<HTMLElement>("[data-none]");
  if (none !== null) {
    none.hidden = shown > 0;
  }
}
