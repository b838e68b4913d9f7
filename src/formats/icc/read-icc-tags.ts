import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { IccBytes } from "./icc-bytes.ts";
import type { IccTag } from "./icc-tags.ts";

/** Of a profile's header, before its list of tags. */
export const HEADER_BYTES = 128;
const ENTRY_BYTES = 12;
const TAGS_MAX = LIMITS.color_profile_tags.value;
const TAG_BYTES_MIN = 8;

/** The tags of a profile by name, each inside of its bytes; or the problem. */
export function readIccTags(icc: IccBytes): ReadonlyMap<string, IccTag> | string {
  const size = icc.bytes.byteLength;
  const count = icc.u32(HEADER_BYTES);
  const begin = HEADER_BYTES + 4 + ENTRY_BYTES * count;
  if (count > TAGS_MAX || begin > size) {
    return `It has ${count} tags, which is more than it can have`;
  }
  const tags = new Map<string, IccTag>();
  for (let i = 0; i < count; i++) {
    const entry = HEADER_BYTES + 4 + ENTRY_BYTES * i;
    const name = icc.signature(entry);
    const tag = { at: icc.u32(entry + 4), size: icc.u32(entry + 8) };
    if (tag.at < begin || tag.size < TAG_BYTES_MIN || tag.at + tag.size > size) {
      return `Its tag ${i + 1} lies outside of the file`;
    }
    if (tags.has(name)) {
      return `Its tag ${i + 1} has the name of an earlier one`;
    }
    tags.set(name, tag);
  }
  return tags;
}
