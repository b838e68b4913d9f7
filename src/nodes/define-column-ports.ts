import type { DynamicPortDescriptor } from "./define-ports.ts";

/**
 * Describes, for the catalog, columns of `parameter` that each get an output port
 * (docs/contract/catalog.md#dynamic-ports).
 */
export function columnPortsOf(
  parameter: string,
  itemsPath: string,
  reserved: readonly string[],
): Extract<DynamicPortDescriptor, { derivation: "named" }> {
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
