const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for HTML elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
}

/** Escaped text with `back-quoted` parts as code. */
export function proseHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

/** Splits a text at blank lines into paragraphs. */
export function paragraphsHtml(text: string, className = ""): string {
  const attribute = className === "" ? "" : ` class="${className}"`;
  return text
    .split(/\n{2,}/)
    .map((part) => `<p${attribute}>${proseHtml(part)}</p>`)
    .join("\n");
}

/** The id of a heading, from its text. */
export function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
