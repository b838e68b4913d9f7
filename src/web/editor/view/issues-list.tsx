/** @jsxImportSource react */
/** The issues of the definition, one line each; Enter on a line goes to the node and the parameter. */
import { useState } from "react";
import { goTo, nameOf } from "../state/edit.ts";
import { useEditorState, useStore, useWords } from "./context.tsx";
import { Icon } from "./icons.tsx";

export function IssuesList() {
  const store = useStore();
  const words = useWords();
  const issues = useEditorState((state) => state.issues);
  const check = useEditorState((state) => state.check);
  const [isOpen, setOpen] = useState(true);
  useEditorState((state) => state.history);
  const note =
    check === "none"
      ? words("notChecked")
      : issues.length === 0 && check === "done"
        ? words("noIssues")
        : "";
  return (
    <section className="issues" data-svc-issues="" data-check={check} aria-label={words("issues")}>
      <button
        className="issues-h"
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        <b>{words("issues")}</b>
        <span className="muted num">{issues.length}</span>
        <span className="grow" />
        <span className="muted">{note}</span>
        <Icon name={isOpen ? "down" : "up"} />
      </button>
      {isOpen && issues.length > 0 && (
        <ul>
          {issues.map((issue) => (
            <li key={`${issue.path} ${issue.code} ${issue.message}`}>
              <button
                className="issue"
                data-svc-issue={issue.node ?? ""}
                data-severity={issue.severity}
                data-code={issue.code}
                onClick={() => {
                  goTo(store, issue.node, issue.parameter);
                }}
              >
                <Icon name={issue.severity} />
                <span className="sr">{words(issue.severity)}</span>
                <b className="cut">
                  {issue.node === null ? words("definition") : nameOf(store, issue.node)}
                </b>
                <span className="issue-m">{issue.message}</span>
                <code className="cut">{issue.parameter ?? ""}</code>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
