/** Texts and JSON of results. They are shown as text, whatever they hold. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Json } from "../core/values.ts";
import { hookOf, useView } from "./context.ts";
import { CopyIcon, DownloadIcon, TickIcon } from "./icons.tsx";

/** Lines and characters of a text before it is folded. */
const LINES_SHOWN = 12;
const CHARS_SHOWN = 1_200;
/** Characters of JSON that are colored; longer texts are shown plain. */
const COLORED_MAX = 20_000;
/** Characters that are shown at all; the download has the rest. */
const SHOWN_MAX = 200_000;
const COPIED_MS = 2_000;

export function TextValue({ text, name }: { readonly text: string; readonly name: string }) {
  const { language } = useView();
  const [isWhole, setWhole] = useState(false);
  const isLong =
    text.length > CHARS_SHOWN || text.split("\n", LINES_SHOWN + 1).length > LINES_SHOWN;
  const folded = text.split("\n", LINES_SHOWN).join("\n").slice(0, CHARS_SHOWN);
  return (
    <>
      <p class="w-prose" dir="auto">
        {isLong && !isWhole ? `${folded}…` : text.slice(0, SHOWN_MAX)}
      </p>
      <Tools text={text} name={name} type="text/plain">
        {isLong && !isWhole && (
          <button
            type="button"
            class="btn btn-s"
            onClick={() => {
              setWhole(true);
            }}
          >
            {language.texts.showAll}
          </button>
        )}
      </Tools>
    </>
  );
}

export function JsonValue({ value, name }: { readonly value: Json; readonly name: string }) {
  const { language } = useView();
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  const size = typeof value === "object" && value !== null ? Object.keys(value).length : null;
  return (
    <>
      <details class="fold">
        <summary>
          <span class="cut">
            <bdi>{name}</bdi>
          </span>
          {size !== null && (
            <span class="tag num">{language.plural(language.texts.elements, size)}</span>
          )}
        </summary>
        <pre class="json" tabIndex={0} aria-label={name}>
          {text.length > COLORED_MAX ? text.slice(0, SHOWN_MAX) : colored(text)}
        </pre>
      </details>
      <Tools text={text} name={name} type="application/json" />
    </>
  );
}

/** Keys, strings, numbers and words of JSON in their colors. */
function colored(text: string) {
  const parts = text.split(
    /("(?:[^"\\]|\\.)*"(?:\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/,
  );
  return parts.map((part, i) => (i % 2 === 0 ? part : <span class={classOf(part)}>{part}</span>));
}

function classOf(part: string): string {
  if (part.startsWith('"')) {
    return part.endsWith(":") ? "k" : "s";
  }
  return /^[tfn]/.test(part) ? "w" : "d";
}

function Tools({
  text,
  name,
  type,
  children,
}: {
  readonly text: string;
  readonly name: string;
  readonly type: string;
  readonly children?: preact.ComponentChildren;
}) {
  const { language } = useView();
  const { texts } = language;
  const [isCopied, setCopied] = useState(false);
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (!isCopied) {
      return undefined;
    }
    const timer = setTimeout(() => {
      setCopied(false);
    }, COPIED_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [isCopied]);
  return (
    <div class="row w-tools">
      {children}
      <span class="grow" />
      <button
        type="button"
        class="btn btn-s btn-ghost"
        onClick={() => {
          void copyText(text).then(setCopied);
        }}
      >
        {isCopied ? <TickIcon /> : <CopyIcon />}
        <span role="status">{isCopied ? texts.copied : texts.copy}</span>
      </button>
      <button
        type="button"
        {...hookOf("action", "download", "btn btn-ghost btn-i btn-s")}
        aria-label={language.fill(texts.download, { name })}
        onClick={() => {
          save(link.current, text, type);
        }}
      >
        <DownloadIcon />
      </button>
      <a class="sr" ref={link} download={name} tabIndex={-1} aria-hidden="true" />
    </div>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The host's page does not allow its frames to write to the clipboard.
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "sr";
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) {
    focused.focus();
  }
  return isDone;
}

/** The address of the text is made for one click: thousands of results hold no memory. */
function save(link: HTMLAnchorElement | null, text: string, type: string): void {
  if (link !== null) {
    const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
    link.href = address;
    link.click();
    setTimeout(() => {
      URL.revokeObjectURL(address);
      link.removeAttribute("href");
    }, COPIED_MS);
  }
}
