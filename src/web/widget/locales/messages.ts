/** The texts of the widget in one language. `{name}` is replaced; a `Plural` is chosen by the number `n`. */
import type { Plural } from "../../shared/plural.ts";
import type { FailedBy } from "../core/outputs.ts";

export interface Messages {
  readonly loading: string;
  readonly run: string;
  readonly runAgain: string;
  readonly tryAgain: string;
  readonly cancel: string;
  readonly reset: string;
  /** After the label of a field. */
  readonly required: string;
  readonly optional: string;
  readonly locked: string;
  readonly choose: string;
  readonly none: string;
  readonly chooseFile: string;
  /** By type of file; `other` for types without a text of their own. */
  readonly drop: Readonly<Record<string, string>> & { readonly other: string };
  readonly upTo: string;
  readonly useAddress: string;
  readonly address: string;
  readonly useFile: string;
  readonly remove: string;
  readonly cancelUpload: string;
  readonly continueUpload: string;
  readonly sent: string;
  readonly checking: string;
  readonly uploadProgress: string;
  readonly problems: Readonly<
    Record<
      | "required"
      | "requiredChoice"
      | "requiredFile"
      | "number"
      | "min"
      | "max"
      | "range"
      | "step"
      | "length"
      | "choice"
      | "json"
      | "url"
      | "file_type"
      | "file_size"
      | "upload"
      | "uploading"
      | "file_refused"
      | "file_again"
      | "refused",
      string
    >
  >;
  readonly status: Readonly<Record<"starting" | "pending" | "running" | "cancelling", string>>;
  readonly made: Plural;
  readonly progress: string;
  readonly soFar: string;
  readonly doneIn: Plural;
  readonly donePart: string;
  readonly doneEmpty: string;
  readonly results: string;
  readonly resultsSoon: string;
  readonly failedTitle: string;
  readonly cancelledTitle: string;
  /** Sentences by code of `svc:error` and `svc:execution:failed`. */
  readonly errors: Readonly<Record<ErrorText, string>>;
  readonly reference: string;
  readonly open: string;
  readonly download: string;
  readonly downloadWord: string;
  readonly copy: string;
  readonly copied: string;
  readonly showMore: string;
  readonly showAll: string;
  readonly close: string;
  readonly previous: string;
  readonly next: string;
  readonly position: string;
  readonly notMade: Readonly<Record<FailedBy, string>>;
  readonly elements: Plural;
  readonly runsOn: string;
}

export type ErrorText =
  | "missing_required_inputs"
  | "invalid_execution_inputs"
  | "upload_pending"
  | "execution_cap_exceeded"
  | "execution_failed"
  | "execution_in_progress"
  | "cancelled"
  | "reset"
  | "invalid_theme"
  | "theme_contrast"
  | "css_sanitized"
  | "invalid_message"
  | "version_unsupported"
  | "upload_failed"
  | "network"
  | "forbidden"
  | "token_expired"
  | "token_revoked"
  | "token_invalid"
  | "wrong_token"
  | "too_many_requests"
  | "workflow_not_available";
