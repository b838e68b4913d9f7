import type { Path } from "../../display-list.ts";
import { readPathData } from "../../geometry/read-path-data.ts";

/** A path of a valid document. Path data that does not parse draws nothing. */
export function readPath(data: string): Path {
  const read = readPathData(data);
  return read.ok ? read.path : { segments: [] };
}
