/** @jsxImportSource react */
/** The gallery of a run's results. Values are shown as text: nothing in them becomes markup or an address. */
import { useState } from "react";
import { type ShownItem, shownItems } from "../state/run.ts";
import { useEditorState, useWords } from "./context.tsx";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icons.tsx";

/** Items that are shown at a time. */
const PAGE = 60;
/** Longest text of a value that is shown, in UTF-16 units. */
const SHOWN_CHARS_MAX = 20_000;

export function ResultsDialog({ onClose }: { onClose: () => void }) {
  const words = useWords();
  const results = useEditorState((state) => state.results);
  const [count, setCount] = useState(PAGE);
  const items = shownItems(results ?? null);
  return (
    <Dialog title={words("results")} onClose={onClose} isWide name="results">
      <div className="body gallery" data-svc-gallery="">
        {items.slice(0, count).map((item, at) => (
          // Results do not change their order.
          <ResultItem key={String(at)} item={item} />
        ))}
      </div>
      {items.length > count && (
        <footer>
          <button
            className="btn btn-s"
            onClick={() => {
              setCount(count + PAGE);
            }}
          >
            {words("showMore")}
          </button>
        </footer>
      )}
    </Dialog>
  );
}

function ResultItem({ item }: { item: ShownItem }) {
  const words = useWords();
  const { key, indices, isPresent, problem, url } = item;
  const name = indices.length === 0 ? key : `${key} ${indices.map((index) => index + 1).join("-")}`;
  return (
    <figure className={isPresent ? "item" : "item missing"} data-svc-item={key}>
      <div className="frame">
        {isPresent ? (
          <ResultBody item={item} name={name} />
        ) : (
          <span>{problem === "" ? words("missing") : problem}</span>
        )}
      </div>
      <figcaption className="cap">
        <b className="cut">{name}</b>
        <span className="grow" />
        {url !== null && (
          <a
            className="btn btn-s btn-i btn-ghost"
            href={url}
            download=""
            aria-label={`${words("download")}: ${name}`}
          >
            <Icon name="download" size={14} />
          </a>
        )}
      </figcaption>
    </figure>
  );
}

function ResultBody({ item, name }: { item: ShownItem; name: string }) {
  const { type, url, thumbnail, value } = item;
  if (url !== null) {
    switch (type) {
      case "image":
        return <img src={thumbnail ?? url} alt={name} loading="lazy" />;
      case "video":
        return <video src={url} controls aria-label={name} />;
      case "audio":
        return <audio src={url} controls aria-label={name} />;
      default:
    }
  }
  if (value === undefined || value === null) {
    return <span className="muted">{type}</span>;
  }
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  return (
    <pre dir="auto" tabIndex={0} role="region" aria-label={name}>
      {text.slice(0, SHOWN_CHARS_MAX)}
    </pre>
  );
}
