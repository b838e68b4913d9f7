import type { JsonValue } from "../../../lib/json/exact-json.ts";
import type { Control } from "../core/parameters.ts";

/** What every control of a value is given. */
export interface ValueProps {
  readonly control: Control;
  readonly value: JsonValue | undefined;
  /** Shown while there is no value. */
  readonly byDefault: JsonValue | undefined;
  /** For controls without a label of their own. */
  readonly label: string;
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  readonly isDisabled: boolean;
  /** Undefined: back to the default. */
  readonly onChange: (value: JsonValue | undefined) => void;
  /** Type of the node, for its models. */
  readonly nodeType: string;
}

/** Attributes of the element that has the value. */
export function attributesOf({ id, describedBy, isInvalid, isDisabled }: ValueProps) {
  return {
    id,
    "aria-describedby": describedBy,
    "aria-invalid": isInvalid,
    disabled: isDisabled,
  };
}
