/** Progress of a run, the shapes of its results, and the results. */
import type { OutputConfig } from "../core/config.ts";
import type { Finished, RunState, State } from "../core/state.ts";
import { hook, useView } from "./context.ts";
import { Gallery } from "./gallery.tsx";
import { StateIcon } from "./icons.tsx";

export function Progress({ run }: { readonly run: RunState }) {
  const { language } = useView();
  const { texts } = language;
  const { status } = texts;
  const name = run.isCancelling ? "cancelling" : run.status;
  const word = Object.hasOwn(status, name) ? status[name as keyof typeof status] : status.running;
  const message = run.made > 0 && !run.isCancelling ? language.plural(texts.made, run.made) : word;
  return (
    <div {...hook("progress", "w-p")}>
      <div class="row between small">
        <span class="pill" data-s={run.isCancelling ? "cancelling" : "running"} role="status">
          <StateIcon state="running" />
          {message}
        </span>
        <span class="muted num">{language.percent(run.progress)}</span>
      </div>
      <span
        class="bar bar-l"
        role="progressbar"
        aria-label={texts.progress}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={run.progress}
      >
        <i style={{ inlineSize: `${String(run.progress)}%` }} />
      </span>
    </div>
  );
}

export function Output({
  state: { run, finished },
  outputs,
}: {
  readonly state: State;
  readonly outputs: readonly OutputConfig[];
}) {
  const { language } = useView();
  const isEmpty = run === null && finished === null;
  return (
    <section
      {...hook("output", isEmpty ? "w-out is-empty" : "w-out")}
      aria-label={language.texts.results}
    >
      {run !== null ? (
        <Expected outputs={outputs} />
      ) : finished === null ? (
        <p class="w-soon muted small">{language.texts.resultsSoon}</p>
      ) : (
        <Done finished={finished} />
      )}
    </section>
  );
}

function Done({ finished }: { readonly finished: Finished }) {
  const { language } = useView();
  const { texts } = language;
  const { groups, isPartial, seconds } = finished;
  const made = groups
    .flatMap(({ elements }) => elements)
    .filter(({ kind }) => kind !== "failed").length;
  return (
    <>
      <span class="pill" data-s={isPartial ? "partial_success" : "completed"} role="status">
        <StateIcon state={isPartial ? "partial_success" : "completed"} />
        {isPartial
          ? texts.donePart
          : made === 0
            ? texts.doneEmpty
            : language.plural(texts.doneIn, made, { time: language.duration(seconds, true) })}
      </span>
      <Gallery groups={groups} />
    </>
  );
}

/** The shapes of the results, from the start of a run. */
function Expected({ outputs }: { readonly outputs: readonly OutputConfig[] }) {
  return (
    <div class="w-expected" aria-hidden="true">
      <span class="skel is-line" />
      {outputs.map(({ key, type, cardinality }) =>
        type === "image" ? (
          <div class="gallery" key={key}>
            {Array.from({ length: cardinality === "multiple" ? 4 : 1 }, (_none, i) => (
              <span class="skel is-square" key={i} />
            ))}
          </div>
        ) : (
          <span class={type === "video" ? "skel is-film" : "skel is-block"} key={key} />
        ),
      )}
    </div>
  );
}
