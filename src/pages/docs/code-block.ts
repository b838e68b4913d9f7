import { escapeHtml } from "../site/html.ts";
import { icon } from "../site/icons.ts";

export interface CodeTab {
  readonly label: string;
  /** HTML: escaped text with markup for syntax colors. */
  readonly html: string;
}

/** JSON text with markup for keys, strings, numbers and words. */
export function jsonHtml(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? "null";
  return text.replaceAll(
    /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b|[<>&]/g,
    (whole, string?: string, colon?: string, number?: string, word?: string) => {
      if (string !== undefined) {
        const kind = colon === undefined ? "s" : "k";
        return `<span class="${kind}">${escapeHtml(string)}</span>${colon ?? ""}`;
      }
      if (number !== undefined) {
        return `<span class="d">${number}</span>`;
      }
      return word === undefined ? escapeHtml(whole) : `<span class="w">${word}</span>`;
    },
  );
}

/** Plain text with markup for its quoted parts. */
export function quotedHtml(text: string): string {
  return escapeHtml(text).replaceAll(
    /(&quot;[^\n]*?&quot;|&#39;[\s\S]*?&#39;)/g,
    '<span class="s">$1</span>',
  );
}

/** A code block with tabs (a caption if there is only one) and a copy button. */
export function codeBlock(
  id: string,
  tabs: readonly CodeTab[],
  options: { readonly isDark?: boolean; readonly label: string },
): string {
  const [first] = tabs;
  const head =
    tabs.length === 1 && first !== undefined
      ? `<span class="grow">${escapeHtml(first.label)}</span>`
      : `<div class="row grow code-tabs" role="tablist" aria-label="${escapeHtml(options.label)}">${tabs
          .map(
            ({ label }, at) =>
              `<button class="tab" type="button" role="tab" id="${id}-tab-${at}" aria-controls="${id}-${at}" aria-selected="${at === 0}"${at === 0 ? "" : ' tabindex="-1"'}>${escapeHtml(label)}</button>`,
          )
          .join("")}</div>`;
  const panels = tabs.map(({ html, label }, at) => {
    const role =
      tabs.length === 1
        ? ` role="group" aria-label="${escapeHtml(label)}"`
        : ` role="tabpanel" aria-labelledby="${id}-tab-${at}"`;
    return `<pre id="${id}-${at}" tabindex="0"${role}${at === 0 ? "" : " hidden"}><code>${html}</code></pre>`;
  });
  return `<figure class="code"${options.isDark === true ? ' data-theme="dark"' : ""}>
<div class="code-h">${head}<button class="btn btn-ghost btn-i btn-s" type="button" data-copy aria-label="Copy ${escapeHtml(options.label.toLowerCase())}">${icon("copy", 14)}</button></div>
${panels.join("\n")}</figure>`;
}
