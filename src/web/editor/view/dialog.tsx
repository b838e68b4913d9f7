/** @jsxImportSource react */
import { type ReactNode, useEffect, useId, useRef } from "react";
import { useWords } from "./context.tsx";
import { Icon } from "./icons.tsx";

interface DialogProps {
  readonly title: string;
  /** Value of `data-svc-dialog`. */
  readonly name: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}

/** A modal dialog; the focus returns to where it was. */
export function Dialog({ title, name, onClose, children, isWide = false }: DialogProps) {
  const words = useWords();
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) {
        before.focus();
      }
    };
  }, []);
  return (
    <dialog
      ref={element}
      className={isWide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      data-svc-dialog={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          className="btn btn-s btn-i btn-ghost"
          aria-label={words("close")}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
