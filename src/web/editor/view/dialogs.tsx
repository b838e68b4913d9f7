/** @jsxImportSource react */
/** The dialogs: the inputs of a run, its results, and the keys. */
import type { WordKey } from "../words.ts";
import { useEditorState, useStore, useWords } from "./context.tsx";
import { Dialog } from "./dialog.tsx";
import { ResultsDialog } from "./results-dialog.tsx";
import { RunDialog } from "./run-dialog.tsx";

export function Dialogs() {
  const store = useStore();
  const dialog = useEditorState((state) => state.dialog);
  const close = () => {
    store.set({ dialog: null });
  };
  switch (dialog) {
    case "help":
      return <HelpDialog onClose={close} />;
    case "run":
      return <RunDialog />;
    case "results":
      return <ResultsDialog onClose={close} />;
    case null:
      return null;
  }
}

const KEYS: readonly (readonly [string, WordKey])[] = [
  ["/", "keyPalette"],
  ["Tab", "keyNext"],
  ["Enter", "keyConnect"],
  ["Enter", "keySelect"],
  ["← ↑ → ↓", "keyMove"],
  ["Delete", "keyDelete"],
  ["Ctrl Z", "undo"],
  ["Ctrl Shift Z", "redo"],
  ["Ctrl C", "copy"],
  ["Ctrl V", "paste"],
  ["Ctrl A", "keyAll"],
  ["Ctrl S", "save"],
  ["Esc", "keyEscape"],
  ["?", "keyHelp"],
];

/** Directions of the arrows, drawn because not every font has them; in degrees from the left. */
const TURNS: Readonly<Record<string, number>> = { "←": 0, "↑": 90, "→": 180, "↓": 270 };

function Key({ name }: { readonly name: string }) {
  const turn = TURNS[name];
  return turn === undefined ? (
    <kbd>{name}</kbd>
  ) : (
    <kbd>
      <span className="sr">{name}</span>
      <svg className="ic" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d="M10 6H2m3-3L2 6l3 3" transform={`rotate(${String(turn)} 6 6)`} />
      </svg>
    </kbd>
  );
}

function HelpDialog({ onClose }: { onClose: () => void }) {
  const words = useWords();
  const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
  return (
    <Dialog title={words("help")} onClose={onClose} name="help">
      <dl className="keys body">
        {KEYS.map(([keys, word]) => (
          <div key={word}>
            <dt>
              {keys.split(" ").map((key) => (
                <Key key={key} name={isMac && key === "Ctrl" ? "⌘" : key} />
              ))}
            </dt>
            <dd>{words(word)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
