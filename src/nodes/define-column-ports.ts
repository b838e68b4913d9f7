import type { DynamicPortDescriptor } from "./define-ports.ts";

/** The catalog's word for columns of `parameter` that get an output port each (docs/contract/catalog.md#dynamic-ports). */
export function columnPortsOf(
  parameter: string,
  itemsPath: string,
  reserved: readonly string[],
): DynamicPortDescriptor {
  return {
    derivation: "named",
    direction: "output",
    parameter,
    items_path: itemsPath,
    name_field: "outputPort",
    type_field: "outputType",
    reserved_names: reserved,
  };
}
