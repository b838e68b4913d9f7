/** Icons of 16 px, drawn in the color of the text. */
import type { ComponentChildren } from "preact";

interface IconProps {
  readonly size?: number;
  readonly class?: string;
  readonly children: ComponentChildren;
}

function Icon({ size = 16, class: name, children }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      class={name}
    >
      {children}
    </svg>
  );
}

export const AlertIcon = ({ size = 16 }: { readonly size?: number }) => (
  <Icon size={size}>
    <path d="M5.4 1.8h5.2l3.6 3.6v5.2l-3.6 3.6H5.4L1.8 10.6V5.4L5.4 1.8ZM8 5v3.5M8 10.9v.01" />
  </Icon>
);
export const CrossIcon = () => (
  <Icon>
    <path d="m4 4 8 8M12 4l-8 8" />
  </Icon>
);
export const DownloadIcon = () => (
  <Icon>
    <path d="M8 2.5v7.5M4.8 7 8 10.2 11.2 7M2.5 13.5h11" />
  </Icon>
);
export const CopyIcon = () => (
  <Icon>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M3.5 10.5h-.25A.75.75 0 0 1 2.5 9.75v-6.5c0-.41.34-.75.75-.75h6.5c.41 0 .75.34.75.75v.25" />
  </Icon>
);
export const TickIcon = () => (
  <Icon>
    <path d="m3.5 8.5 3 3 6-6.5" />
  </Icon>
);
export const PreviousIcon = () => (
  <Icon class="flip">
    <path d="m10 4-4 4 4 4" />
  </Icon>
);
export const NextIcon = () => (
  <Icon class="flip">
    <path d="m6 4 4 4-4 4" />
  </Icon>
);
export const ClockIcon = ({ size = 16 }: { readonly size?: number }) => (
  <Icon size={size}>
    <circle cx="8" cy="8" r="6" />
    <path d="M8 4.7V8l2.2 1.5" />
  </Icon>
);
export const LockIcon = () => (
  <Icon size={12}>
    <rect x="3" y="7" width="10" height="6.5" rx="1.5" />
    <path d="M5 7V5a3 3 0 0 1 6 0v2" />
  </Icon>
);

const FILES: Readonly<Record<string, ComponentChildren>> = {
  image: (
    <>
      <rect x="2" y="2.5" width="12" height="11" rx="1.5" />
      <circle cx="5.7" cy="6" r="1.1" />
      <path d="m2.5 12 3.7-3.5 2.3 2 2.3-2.7 3 3.2" />
    </>
  ),
  video: (
    <>
      <rect x="2" y="3" width="12" height="10" rx="1.5" />
      <path d="m6.7 5.9 3.4 2.1-3.4 2.1Z" />
    </>
  ),
  audio: <path d="M2.5 6.5v3M5.25 4.5v7M8 2.5v11M10.75 5v6M13.5 6.5v3" />,
  model3d: (
    <>
      <path d="m8 1.8 5.4 3.1v6.2L8 14.2l-5.4-3.1V4.9Z" />
      <path d="M2.8 5 8 8l5.2-3M8 8v6" />
    </>
  ),
  data: (
    <>
      <rect x="2" y="3" width="12" height="10" rx="1.5" />
      <path d="M2 6.5h12M2 10h12M6.5 6.5V13" />
    </>
  ),
};

/** The icon of a type of file; a page for types that have none. */
export function FileIcon({ type }: { readonly type: string }) {
  return (
    <Icon>
      {Object.hasOwn(FILES, type) ? (
        FILES[type]
      ) : (
        <path d="M9 2H4.75C4 2 3.5 2.6 3.5 3.25v9.5c0 .7.55 1.25 1.25 1.25h6.5c.7 0 1.25-.55 1.25-1.25V5.5L9 2Zm0 0v3.5h3.5" />
      )}
    </Icon>
  );
}

/** The mark of the product (src/web/site/mark.svg). */
export function Mark() {
  return (
    <svg
      width="14"
      height="14"
      viewBox="0 0 24 24"
      fill="none"
      stroke-width="2.4"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <path d="M7 3v18M12 3v4.2M12 11.8V21M17 3v18" stroke="currentColor" />
      <path d="M2.5 9.5h2M9.3 9.5h10.2M2.5 15H15M19.3 15h2.2" class="w-mark" />
    </svg>
  );
}

/** The state of a run (look: dashed ring, turning arc, disc with tick, half disc, struck ring). */
export function StateIcon({ state }: { readonly state: string }) {
  return (
    <svg
      width="14"
      height="14"
      viewBox="0 0 14 14"
      fill="none"
      aria-hidden="true"
      class={state === "running" ? "turn" : undefined}
    >
      {state === "completed" ? (
        <>
          <circle cx="7" cy="7" r="6.25" fill="currentColor" />
          <path
            d="M4.4 7.2 6.3 9.1 9.7 5.2"
            class="w-tick"
            stroke-width="1.6"
            stroke-linecap="round"
            stroke-linejoin="round"
          />
        </>
      ) : state === "partial_success" ? (
        <>
          <circle cx="7" cy="7" r="5.5" stroke="currentColor" stroke-width="1.5" />
          <path d="M7 1.5a5.5 5.5 0 0 1 0 11Z" fill="currentColor" />
        </>
      ) : state === "running" ? (
        <>
          <circle cx="7" cy="7" r="5.5" stroke="currentColor" stroke-width="1.5" opacity=".3" />
          <path
            d="M7 1.5A5.5 5.5 0 0 1 12.5 7"
            stroke="currentColor"
            stroke-width="1.8"
            stroke-linecap="round"
          />
        </>
      ) : (
        <circle
          cx="7"
          cy="7"
          r="5.5"
          stroke="currentColor"
          stroke-width="1.5"
          stroke-dasharray="2.2 2"
        />
      )}
    </svg>
  );
}
