/** @jsxImportSource react */

export interface Option {
  readonly value: string;
  readonly name: string;
}

/** A native select; a value that is not among the options is shown as it is. */
export function Select({
  value,
  unset,
  options,
  onChange,
  ...attributes
}: {
  readonly value: string;
  /** Name of the empty value; undefined if there must be a value. */
  readonly unset?: string | undefined;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
  readonly [attribute: string]: unknown;
}) {
  const isKnown = value === "" || options.some((option) => option.value === value);
  return (
    <select
      {...attributes}
      className="input input-s"
      value={value}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    >
      {unset !== undefined && <option value="">{unset}</option>}
      {!isKnown && <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.name}
        </option>
      ))}
    </select>
  );
}
