import type * as z from "zod";
import type { CreateColorProfile } from "../../src/contracts/templates/color-profile.ts";
import type { ComposeBundle, ValidateBundle } from "../../src/contracts/files/bundle-manifest.ts";
import type { InspectRequest } from "../../src/contracts/dataset.ts";
import { required, textOf } from "./arguments.ts";
import { type Command, fieldsOf, type Route } from "./command.ts";
import { saveBytes, uploadFile, uploadFonts } from "./file-commands.ts";
import { get, PAGE_QUERY, post } from "./route-commands.ts";
import { sendRoute } from "./send-route.ts";

const FONT_FLAGS = {
  name: { type: "string", value: "NAME" },
  category: { type: "string", value: "CATEGORY" },
  fallback: { type: "string", value: "FAMILY" },
  "accept-license": { type: "boolean" },
} as const;

const OUTPUT = { output: { type: "string", value: "FILE" } } as const;

/** Commands for files, upload sessions, datasets, bundles, fonts and color profiles. */
export const ASSET_COMMANDS: readonly Command[] = [
  {
    words: "assets upload",
    args: "FILE",
    about: "Upload a file; the same command resumes an interrupted upload",
    operations: ["uploadAsset", "createUpload", "getUpload", "signUploadParts", "completeUpload"],
    flags: { name: { type: "string", value: "NAME" } },
    run: uploadFile,
  },
  {
    words: "assets list",
    about: "List files",
    columns: ["path", "name", "content_type", "size_bytes", "created_at"],
    route: {
      operation: "listAssets",
      method: "GET",
      path: "/api/v1/assets",
      query: [...PAGE_QUERY, "prefix", "name"],
    },
  },
  {
    words: "assets import",
    about: "Import a file from a public https address",
    route: {
      operation: "importAsset",
      method: "POST",
      path: "/api/v1/assets/import",
      fields: { url: ["url", "text"], name: ["file_name", "text"] },
    },
  },
  {
    words: "assets url",
    about: "Print the public address of a file",
    route: {
      operation: "getAssetDownloadUrl",
      method: "GET",
      path: "/api/v1/assets/download-url",
      query: ["path"],
    },
  },
  {
    words: "assets delete",
    about: "Delete a file",
    route: { operation: "deleteAsset", method: "DELETE", path: "/api/v1/assets", query: ["path"] },
  },
  {
    words: "files download",
    args: "KEY",
    about: "Save a file by the key in its address; without --output, print it",
    operations: ["getFile"],
    flags: { ...OUTPUT, name: { type: "string" } },
    run: async (session, { args, flags }) =>
      saveBytes(
        await sendRoute(
          session,
          {
            operation: "getFile",
            method: "GET",
            path: "/files/{key+}",
            query: ["name"],
            isPublic: true,
          },
          { args, flags },
        ),
        textOf(flags, "output"),
      ),
  },
  get(
    "uploads get",
    "ID",
    "Show an upload session and its parts",
    "getUpload",
    "/api/v1/assets/uploads/{id}",
  ),
  {
    words: "uploads create",
    about: "Open an upload session, for clients that send the bytes themselves",
    route: {
      operation: "createUpload",
      method: "POST",
      path: "/api/v1/assets/uploads",
      fields: {
        name: ["file_name", "text"],
        size: ["size_bytes", "number"],
        mode: ["upload_mode", "text"],
      },
    },
  },
  {
    words: "uploads sign",
    args: "ID",
    about: "Get addresses for parts",
    route: {
      operation: "signUploadParts",
      method: "POST",
      path: "/api/v1/assets/uploads/{id}/parts:sign",
      fields: { parts: ["parts", "json"] },
    },
  },
  post(
    "uploads finalize",
    "ID",
    "Finalize a single PUT",
    "finalizeUpload",
    "/api/v1/assets/uploads/{id}/finalize",
  ),
  post(
    "uploads complete",
    "ID",
    "Complete a multipart upload",
    "completeUpload",
    "/api/v1/assets/uploads/{id}:complete",
  ),
  post(
    "uploads abort",
    "ID",
    "Abort an upload session",
    "abortUpload",
    "/api/v1/assets/uploads/{id}:abort",
  ),
  {
    words: "datasets inspect",
    about: "Profile a stored file as a table",
    route: {
      operation: "inspectDataset",
      method: "POST",
      path: "/api/v1/structured-data/inspect",
      fields: fieldsOf<z.input<typeof InspectRequest>>()({
        path: ["asset_path", "text"],
        format: ["format", "text"],
        "header-row": ["header_row", "number"],
        locale: ["locale", "text"],
        "sample-rows": ["sample_rows", "number"],
        "max-rows": ["max_rows", "number"],
        delimiter: ["delimiter", "text"],
        table: ["table", "text"],
        "formula-policy": ["formula_policy", "text"],
      }),
    },
  },
  {
    words: "bundles compose",
    about: "Compose a bundle manifest",
    route: {
      operation: "composeBundleManifest",
      method: "POST",
      path: "/api/v1/bundle-manifests/compose",
      fields: fieldsOf<z.input<typeof ComposeBundle>>()({
        id: ["bundle_id", "text"],
        checksum: ["include_checksum", "json"],
        assets: ["assets", "json"],
      }),
    },
  },
  {
    words: "bundles validate",
    args: "FILE",
    about: "Validate a bundle manifest",
    route: {
      operation: "validateBundleManifest",
      method: "POST",
      path: "/api/v1/bundle-manifests/validate",
      file: { field: "manifest" },
      fields: fieldsOf<z.input<typeof ValidateBundle>>()({
        validation: ["validation", "text"],
        "verify-checksum": ["verify_checksum", "text"],
      }),
    },
  },
  {
    words: "fonts list",
    about: "List font families",
    columns: ["familyGuid", "displayName", "category", "scope", "revisionNumber"],
    route: {
      operation: "listFonts",
      method: "GET",
      path: "/api/v1/fonts",
      query: [...PAGE_QUERY, "query", "category", "scope"],
    },
  },
  {
    words: "fonts upload",
    args: "FILE…",
    about: "Upload a font family, one file for each variant",
    operations: ["createFont"],
    flags: FONT_FLAGS,
    run: (session, given) => uploadFonts(session, given, "/api/v1/fonts"),
  },
  {
    words: "fonts revise",
    args: "FAMILY FILE…",
    about: "Upload a revision of a font family",
    operations: ["createFontRevision"],
    flags: FONT_FLAGS,
    run: (session, { args, flags }) =>
      uploadFonts(
        session,
        { args: args.slice(1), flags },
        `/api/v1/fonts/${encodeURIComponent(required(args[0], "FAMILY"))}/revisions`,
      ),
  },
  post(
    "fonts archive",
    "FAMILY",
    "Archive a font family",
    "archiveFont",
    "/api/v1/fonts/{family}/archive",
  ),
  download("fonts file", "FAMILY VERSION FILE", "Save one file of a revision", {
    operation: "getFontFile",
    method: "GET",
    path: "/api/v1/fonts/{family}/versions/{version}/files/{file}",
  }),
  download("fonts variant", "FAMILY VERSION VARIANT", "Save the file of a variant", {
    operation: "getFontVariant",
    method: "GET",
    path: "/api/v1/fonts/{family}/versions/{version}/variants/{variant}",
  }),
  {
    words: "color-profiles list",
    about: "List color profiles",
    columns: ["guid", "name", "output_condition_identifier", "color_space", "created_at"],
    route: {
      operation: "listColorProfiles",
      method: "GET",
      path: "/api/v1/color-profiles",
      query: PAGE_QUERY,
    },
  },
  {
    words: "color-profiles create",
    about: "Create a color profile from an uploaded .icc file",
    route: {
      operation: "createColorProfile",
      method: "POST",
      path: "/api/v1/color-profiles",
      fields: fieldsOf<z.input<typeof CreateColorProfile>>()({
        asset: ["asset_path", "text"],
        name: ["name", "text"],
        condition: ["output_condition_identifier", "text"],
      }),
    },
  },
  {
    words: "color-profiles delete",
    args: "GUID",
    about: "Delete a color profile",
    route: {
      operation: "deleteColorProfile",
      method: "DELETE",
      path: "/api/v1/color-profiles/{guid}",
    },
  },
];

function download(words: string, args: string, about: string, route: Route): Command {
  return {
    words,
    args,
    about,
    operations: [route.operation],
    flags: OUTPUT,
    run: async (session, given) =>
      saveBytes(await sendRoute(session, route, given), textOf(given.flags, "output")),
  };
}
