/** @jsxImportSource react */
/** The palette: node types by category, with search. */
import { type KeyboardEvent, memo, useEffect, useMemo, useRef } from "react";
import { paletteGroups } from "../core/palette.ts";
import type { CatalogEntry } from "../core/ports.ts";
import { addNodeOf, goTo } from "../state/edit.ts";
import { DRAG_TYPE } from "./canvas.tsx";
import { useEditorState, useStore, useWords } from "./context.tsx";
import { Icon } from "./icons.tsx";
import { Tile } from "./tile.tsx";

/** `ai` as `AI`, `input` as `Input`: headings of categories, which the catalog writes in lower case. */
function headingOf(category: string): string {
  return category.length <= 2
    ? category.toUpperCase()
    : category.charAt(0).toUpperCase() + category.slice(1);
}

export function Palette() {
  const store = useStore();
  const words = useWords();
  const catalog = useEditorState((state) => state.catalog);
  const search = useEditorState((state) => state.search);
  const dropped = useEditorState((state) => state.dropped);
  const isOpen = useEditorState((state) => state.isPaletteOpen);
  const field = useRef<HTMLInputElement>(null);
  const groups = useMemo(
    () => paletteGroups([...catalog.entries.values()], search, dropped ?? undefined),
    [catalog, search, dropped],
  );
  useEffect(() => {
    if (isOpen) {
      field.current?.focus();
    }
  }, [isOpen, dropped]);
  const count = groups.reduce((sum, { entries }) => sum + entries.length, 0);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) {
      return;
    }
    const stops = [
      ...event.currentTarget.querySelectorAll<HTMLElement>("input, [data-svc-palette-item]"),
    ];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    stops[at + step]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <nav
      className={isOpen ? "pal is-open" : "pal"}
      data-svc-palette=""
      aria-label={words("nodes")}
      onKeyDown={onKeyDown}
    >
      <div className="pal-h">
        <div className="search">
          <Icon name="search" size={14} />
          <input
            ref={field}
            className="input input-s"
            type="search"
            placeholder={words("searchCount", { count })}
            aria-label={words("search")}
            value={search}
            onChange={(event) => {
              store.set({ search: event.currentTarget.value });
            }}
          />
          <kbd aria-hidden="true">/</kbd>
        </div>
        <button
          className="btn btn-s btn-i btn-ghost only-drawer"
          aria-label={words("close")}
          onClick={() => {
            store.set({ isPaletteOpen: false, dropped: null });
          }}
        >
          <Icon name="close" />
        </button>
      </div>
      {dropped !== null && (
        <p className="pal-note">
          {words("fitting")}
          <button
            className="btn btn-s btn-ghost"
            onClick={() => {
              store.set({ dropped: null, isPaletteOpen: false });
            }}
          >
            {words("cancel")}
          </button>
        </p>
      )}
      <div className="pal-l">
        {groups.map(({ category, entries }) => (
          <section key={category ?? ""}>
            {category !== null && (
              <h2>
                {headingOf(category)}
                <span className="muted num" aria-hidden="true">
                  {entries.length}
                </span>
              </h2>
            )}
            {entries.map((entry) => (
              <PaletteItem key={entry.type} entry={entry} />
            ))}
          </section>
        ))}
        {count === 0 && (
          <p className="pal-none">
            {words("noMatch")}
            <span>{words("noMatchHelp")}</span>
          </p>
        )}
      </div>
    </nav>
  );
}

const PaletteItem = memo(function PaletteItem({ entry }: { entry: CatalogEntry }) {
  const store = useStore();
  const canEdit = useEditorState((state) => state.canEdit);
  return (
    <button
      className="pal-i"
      data-svc-palette-item={entry.type}
      title={`${entry.type}\n${entry.description}`}
      disabled={!canEdit}
      draggable={canEdit}
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAG_TYPE, entry.type);
        event.dataTransfer.effectAllowed = "copy";
      }}
      onClick={() => {
        const id = addNodeOf(store, entry);
        if (id !== undefined) {
          goTo(store, id, null);
        }
      }}
    >
      <Tile entry={entry} isSmall />
      <span className="cut">{entry.name}</span>
    </button>
  );
});
