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
                <kbd key={key}>{isMac && key === "Ctrl" ? "⌘" : key}</kbd>
              ))}
            </dt>
            <dd>{words(word)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
