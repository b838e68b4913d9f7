/** The results: groups in the order of the outputs, elements in index order, and the dialog of a picture. */
import { useState } from "preact/hooks";
import { type GalleryElement, type GalleryGroup, SHOWN_AT_ONCE } from "../core/outputs.ts";
import { hook, hookOf, useView } from "./context.ts";
import { AlertIcon, DownloadIcon, FileIcon } from "./icons.tsx";
import { JsonValue, TextValue } from "./text-value.tsx";
import { PictureDialog } from "./picture-dialog.tsx";

export function Gallery({ groups }: { readonly groups: readonly GalleryGroup[] }) {
  return (
    <>
      {groups.map((group) => (
        <Group key={group.key} group={group} />
      ))}
    </>
  );
}

/** Kinds that are shown as squares beside each other; others take the whole width. */
function isSquare({ kind }: GalleryElement): boolean {
  return kind === "picture" || kind === "failed";
}

function Group({ group }: { readonly group: GalleryGroup }) {
  const { language } = useView();
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  const [opened, setOpened] = useState<number | null>(null);
  const { key, label, isIterated, elements } = group;
  const visible = elements.slice(0, shown);
  const pictures = elements.filter(({ kind }) => kind === "picture");
  const isGrid = elements.some(({ kind }) => kind === "picture") || elements.every(isSquare);
  const left = elements.length - visible.length;
  return (
    <section {...hookOf("output", key, "w-group")} aria-label={label}>
      <h2 class="w-label">
        <bdi>{label}</bdi>
        {isIterated && (
          <span class="tag num">{language.plural(language.texts.elements, elements.length)}</span>
        )}
      </h2>
      <div {...hook("gallery", isGrid ? "gallery" : "w-list")}>
        {visible.map((element) => (
          <Element
            key={element.indices.join("-")}
            element={element}
            onOpen={() => {
              setOpened(pictures.indexOf(element));
            }}
          />
        ))}
      </div>
      {left > 0 && (
        <button
          type="button"
          class="btn btn-s w-more"
          onClick={() => {
            setShown(shown + SHOWN_AT_ONCE);
          }}
        >
          {language.fill(language.texts.showMore, { n: left })}
        </button>
      )}
      {opened !== null && (
        <PictureDialog
          pictures={pictures}
          at={opened}
          onMove={setOpened}
          onClose={() => {
            setOpened(null);
          }}
        />
      )}
    </section>
  );
}

function Element({
  element,
  onOpen,
}: {
  readonly element: GalleryElement;
  readonly onOpen: () => void;
}) {
  const { language } = useView();
  const { kind, name, url, thumbnail } = element;
  const item = (classes: string) => hookOf("item", "", classes);
  switch (kind) {
    case "failed":
      return (
        <figure {...item("item missing")}>
          <div class="frame">
            <span>
              <AlertIcon />
              {language.texts.notMade[element.failedBy]}
            </span>
          </div>
          <figcaption class="cap">
            <b class="cut">
              <bdi>{name}</bdi>
            </b>
          </figcaption>
        </figure>
      );
    case "picture":
      return (
        <figure {...item("item")}>
          <button
            type="button"
            class="frame"
            aria-label={language.fill(language.texts.open, { name })}
            onClick={onOpen}
          >
            <Picture src={thumbnail ?? url ?? ""} fallback={url} />
          </button>
          <Caption element={element} />
        </figure>
      );
    case "film":
      return (
        <figure {...item("item is-wide")}>
          <video class="w-media" src={url ?? ""} controls preload="metadata" aria-label={name} />
          <Caption element={element} />
        </figure>
      );
    case "sound":
      return (
        <figure {...item("item is-wide")}>
          <audio class="w-media" src={url ?? ""} controls preload="metadata" aria-label={name} />
          <Caption element={element} />
        </figure>
      );
    case "text":
      return (
        <div {...item("w-text")}>
          <TextValue text={typeof element.value === "string" ? element.value : ""} name={name} />
        </div>
      );
    case "json":
      return (
        <div {...item("w-text")}>
          <JsonValue value={element.value} name={name} />
        </div>
      );
    case "link":
      return (
        <div {...item("w-link")}>
          <span class="drop-i">
            <FileIcon type="document" />
          </span>
          <span class="drop-t">
            <a class="cut small" href={url ?? ""} target="_blank" rel="noopener noreferrer">
              {name}
            </a>
            <Size bytes={element.sizeBytes} />
          </span>
          <Download element={element} />
        </div>
      );
  }
}

/** The thumbnail; the picture itself where the service cannot draw one. */
function Picture({ src, fallback }: { readonly src: string; readonly fallback: string | null }) {
  const [isBroken, setBroken] = useState(false);
  return (
    <img
      class="pic"
      src={isBroken && fallback !== null ? fallback : src}
      alt=""
      width="400"
      height="400"
      loading="lazy"
      onError={() => {
        setBroken(true);
      }}
    />
  );
}

function Size({ bytes }: { readonly bytes: number | null }) {
  const { language } = useView();
  return bytes === null ? null : <span class="tiny muted num">{language.size(bytes)}</span>;
}

function Caption({ element }: { readonly element: GalleryElement }) {
  return (
    <figcaption class="cap">
      <b class="cut">
        <bdi>{element.name}</bdi>
      </b>
      <Download element={element} />
    </figcaption>
  );
}

function Download({ element: { url, name } }: { readonly element: GalleryElement }) {
  const { language } = useView();
  return url === null ? null : (
    <a
      {...hookOf("action", "download", "btn btn-ghost btn-i btn-s")}
      href={url}
      download={name}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={language.fill(language.texts.download, { name })}
    >
      <DownloadIcon />
    </a>
  );
}
