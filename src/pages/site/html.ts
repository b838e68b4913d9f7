const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? char);
}

/** Escaped text with its `back-quoted` parts as code. */
export function proseHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

/** Each blank-line separated part of a text as a paragraph. */
export function paragraphsHtml(text: string, className = ""): string {
  const attribute = className === "" ? "" : ` class="${className}"`;
  return text
    .split(/\n{2,}/)
    .map((part) => `<p${attribute}>${proseHtml(part)}</p>`)
    .join("\n");
}

/** A name as the address of its heading. */
export function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
