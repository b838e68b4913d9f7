import type { FontReference } from "../../contracts/files/font.ts";
import type {
  FontPin,
  Inspected,
  InspectRequest,
  MissingResource,
  RenderFailure,
} from "../../contracts/templates/renderer.ts";
import { foldCase } from "../../lib/fold-case.ts";
import type { RendererEnv } from "../../platform/env.ts";
import { fontKey } from "../../templates/layout/resources/collect-resources.ts";
import {
  type NamedResource,
  namedResources,
} from "../../templates/layout/resources/named-resources.ts";
import { DocumentInvalidError, type KeptTemplates } from "./kept-templates.ts";
import { readDocument } from "./read-document.ts";
import { type FontCatalog, loadFontCatalog, PIN_OF_FILES } from "./resources/font-catalog.ts";
import { isStoredOrElsewhere } from "./resources/read-picture.ts";

const MISSING_MAX = 100;
/** Stored pictures that are looked up at the same time. */
const LOOKUPS_MAX = 4;

/** Looks up the fonts and stored pictures that a document names. Rethrows errors of the stores. */
export async function inspectTemplate(
  env: RendererEnv,
  templates: KeptTemplates,
  { workspace_id: workspaceId, template }: InspectRequest,
): Promise<Inspected | RenderFailure> {
  let named: readonly NamedResource[];
  try {
    const { prepared } = await templates.get(workspaceId, template.content_hash, async () => {
      const text = await readDocument(env, workspaceId, template);
      if (text === undefined) {
        throw new DocumentInvalidError("its file is gone");
      }
      return text;
    });
    named = [...namedResources(prepared)];
  } catch (error) {
    if (error instanceof DocumentInvalidError) {
      const message = `The document cannot be used: ${error.message}`;
      return { ok: false, code: "unavailable", message, errors: [], may_retry: false };
    }
    throw error;
  }
  const names = new Set<string>();
  const fonts = new Map(
    named.flatMap(({ resource }) => {
      if (resource.kind === "family") {
        names.add(resource.name);
      }
      const { kind } = resource;
      return kind === "font" ? [[fontKey(resource.font), resource.font] as const] : [];
    }),
  );
  const catalog = await loadFontCatalog(
    env,
    workspaceId,
    [...names],
    [...fonts.values()],
    template,
  );
  const gone = await goneFrom(env, workspaceId, named);
  return {
    ok: true,
    font_pins: [...pinsOf(names, catalog), ...filePinsOf([...fonts.values()], catalog)],
    missing_fonts: missing(named, ({ resource }) => {
      switch (resource.kind) {
        case "family":
          return catalog.families.has(foldCase(resource.name)) ? undefined : resource.name;
        case "font":
          return catalog.files.has(resource.font.sha256) ? undefined : resource.name;
        case "picture":
          return undefined;
      }
    }),
    missing_pictures: missing(named, ({ resource }) =>
      resource.kind === "picture" && gone.has(resource.source) ? resource.source : undefined,
    ),
  };
}

function pinsOf(names: ReadonlySet<string>, catalog: FontCatalog): FontPin[] {
  const pins = new Map<string, FontPin>();
  for (const name of names) {
    const folded = foldCase(name);
    const revision = catalog.families.get(folded)?.revision;
    if (revision !== undefined && revision !== null && !pins.has(folded)) {
      pins.set(folded, { name, ...revision });
    }
  }
  return [...pins.values()];
}

/** A file never changes, so that only the fallback of its family has to be pinned. */
function filePinsOf(fonts: readonly FontReference[], { fallbacks }: FontCatalog): FontPin[] {
  const pins = new Map<string, FontPin>();
  for (const { familyGuid: family_guid, versionGuid: version_guid } of fonts) {
    const fallback = fallbacks.get(family_guid);
    if (fallback !== undefined) {
      const fallback_guid = fallback.familyGuid;
      pins.set(`${family_guid} ${version_guid}`, {
        name: PIN_OF_FILES,
        family_guid,
        version_guid,
        fallback_guid,
      });
    }
  }
  return [...pins.values()];
}

/** The sources of stored pictures that are not there. */
async function goneFrom(
  env: RendererEnv,
  workspaceId: string,
  named: readonly NamedResource[],
): Promise<ReadonlySet<string>> {
  const left = [
    ...new Set(
      named.flatMap(({ resource }) => (resource.kind === "picture" ? [resource.source] : [])),
    ),
  ];
  const gone = new Set<string>();
  const work = async () => {
    for (let source = left.pop(); source !== undefined; source = left.pop()) {
      if (!(await isStoredOrElsewhere(env, workspaceId, source))) {
        gone.add(source);
      }
    }
  };
  await Promise.all(Array.from({ length: LOOKUPS_MAX }, work));
  return gone;
}

/** Each element with each missing thing once. */
function missing(
  named: readonly NamedResource[],
  nameOf: (resource: NamedResource) => string | undefined,
): MissingResource[] {
  const found = new Map<string, MissingResource>();
  for (const resource of named) {
    const name = nameOf(resource);
    const { pageId: page_id, elementId: element_id } = resource;
    if (name !== undefined && found.size < MISSING_MAX) {
      found.set(JSON.stringify([name, page_id, element_id]), { name, page_id, element_id });
    }
  }
  return [...found.values()];
}
