/** A picture, opened: arrows turn the pages, Escape closes, and the focus goes back to the thumbnail. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { GalleryElement } from "../core/outputs.ts";
import { hookOf, useView } from "./context.ts";
import { CrossIcon, DownloadIcon, NextIcon, PreviousIcon } from "./icons.tsx";

interface DialogProps {
  readonly pictures: readonly GalleryElement[];
  readonly at: number;
  readonly onMove: (at: number) => void;
  readonly onClose: () => void;
}

export function PictureDialog({ pictures, at, onMove, onClose }: DialogProps) {
  const { language } = useView();
  const { texts } = language;
  const ref = useRef<HTMLDialogElement>(null);
  const close = useRef<HTMLButtonElement>(null);
  const picture = pictures[at];
  // Before paint, so that the opener is still focused: a closing dialog gives the focus back to it.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    if (dialog !== null) {
      place(dialog, opener);
      dialog.showModal();
      close.current?.focus();
    }
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) {
        opener.focus();
      }
    };
  }, []);
  useEffect(() => {
    if (picture === undefined) {
      onClose();
    }
  }, [picture, onClose]);
  if (picture === undefined) {
    return null;
  }
  const move = (by: number): void => {
    onMove((at + by + pictures.length) % pictures.length);
  };
  const details = [
    language.fill(texts.position, { i: at + 1, n: pictures.length }),
    ...(picture.sizeBytes === null ? [] : [language.size(picture.sizeBytes)]),
  ];
  return (
    <dialog
      class="view"
      ref={ref}
      aria-label={picture.name}
      onClose={onClose}
      onClick={(event) => {
        // The ground around the dialog belongs to the dialog element itself.
        if (event.target === ref.current) {
          onClose();
        }
      }}
      onKeyDown={(event) => {
        if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
          event.preventDefault();
          const isForward = (event.key === "ArrowRight") === (language.direction === "ltr");
          move(isForward ? 1 : -1);
        }
      }}
    >
      <div class="view-in">
        <header class="row">
          <h2 class="cut grow">
            <bdi>{picture.name}</bdi>
          </h2>
          <a
            {...hookOf("action", "download", "btn btn-ghost btn-i btn-s")}
            href={picture.url ?? ""}
            download={picture.name}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={language.fill(texts.download, { name: picture.name })}
          >
            <DownloadIcon />
          </a>
          <button
            type="button"
            class="btn btn-ghost btn-i btn-s"
            aria-label={texts.close}
            ref={close}
            onClick={onClose}
          >
            <CrossIcon />
          </button>
        </header>
        <div class="view-p">
          <img class="pic" src={picture.url ?? ""} alt={picture.name} />
        </div>
        <footer class="row">
          <span class="tiny muted grow num" role="status">
            {details.join(", ")}
          </span>
          {pictures.length > 1 && (
            <>
              <button
                type="button"
                class="btn btn-i btn-s"
                aria-label={texts.previous}
                onClick={() => {
                  move(-1);
                }}
              >
                <PreviousIcon />
              </button>
              <button
                type="button"
                class="btn btn-i btn-s"
                aria-label={texts.next}
                onClick={() => {
                  move(1);
                }}
              >
                <NextIcon />
              </button>
            </>
          )}
        </footer>
      </div>
    </dialog>
  );
}

/**
 * A frame as high as its content can be higher than the screen: its center is then out of sight, and the dialog opens at
 * the height of its thumbnail instead.
 */
function place(dialog: HTMLDialogElement, opener: Element | null): void {
  if (opener !== null && window.innerHeight > window.screen.availHeight) {
    const { top } = opener.getBoundingClientRect();
    const highest = Math.max(8, window.innerHeight - window.screen.availHeight * 0.8);
    dialog.style.marginBlockStart = `${String(Math.round(Math.min(Math.max(8, top - 120), highest)))}px`;
  }
}
