/** The shapes that the widget reads from `GET /api/embed/config`; the API's contract is the source. */

/** Types of fields; `choice` types have options or allowed values. */
export interface FieldConfig {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly type: string;
  /** Neither optional nor defaulted. */
  readonly required: boolean;
  /** JSON-encoded. */
  readonly default_value?: string | undefined;
  readonly category?: string | undefined;
  readonly constraints?:
    | {
        readonly min?: number | undefined;
        readonly max?: number | undefined;
        readonly step?: number | undefined;
        readonly allowed_values?: readonly string[] | undefined;
      }
    | undefined;
  readonly multiline?: boolean | undefined;
  /** In UTF-16 units. */
  readonly max_length?: number | undefined;
  /** Extensions of files, each with its dot. */
  readonly accept?: readonly string[] | undefined;
  readonly max_size_bytes?: number | undefined;
  readonly options?: readonly FieldOption[] | undefined;
}

export interface FieldOption {
  readonly code: string;
  readonly name: string;
  /** Address of a picture on the service. */
  readonly thumbnail?: string | null | undefined;
}

export interface OutputConfig {
  readonly key: string;
  readonly label: string;
  readonly type: string;
  readonly cardinality: "single" | "multiple";
}

export interface EmbedConfig {
  readonly workflow: { readonly id: string; readonly name: string; readonly description: string };
  readonly interface: {
    readonly id: string;
    readonly name: string;
    readonly description: string;
  } | null;
  readonly fields: readonly FieldConfig[];
  readonly outputs: readonly OutputConfig[];
  readonly end_user_id: string | null;
  readonly can: { readonly execute: boolean; readonly upload: boolean };
}

/** How a field is entered and what its value is. */
export type FieldKind = "text" | "number" | "boolean" | "choice" | "json" | "file";

const KINDS: Readonly<Record<string, FieldKind>> = {
  text: "text",
  number: "number",
  boolean: "boolean",
  enum: "choice",
  preset: "choice",
  effect: "choice",
  json: "json",
  any: "json",
};

/** Returns the kind of a field. All other types are kinds of files. */
export function kindOf({ type }: Pick<FieldConfig, "type">): FieldKind {
  return (Object.hasOwn(KINDS, type) ? KINDS[type] : undefined) ?? "file";
}

/** Returns the choices of a field: its options, otherwise its allowed values under their own names. */
export function optionsOf(field: FieldConfig): readonly FieldOption[] {
  return (
    field.options ?? field.constraints?.allowed_values?.map((code) => ({ code, name: code })) ?? []
  );
}
