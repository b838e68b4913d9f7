import type { FieldConfig } from "../core/config.ts";
import type { FieldState } from "../core/state.ts";

/** What each control is given. */
export interface ControlProps {
  readonly field: FieldConfig;
  readonly state: FieldState;
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isReadOnly: boolean;
}
