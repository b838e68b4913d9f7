import type * as z from "zod";
import type {
  CreateShareLinkBody,
  ImportTemplateBody,
} from "../../src/contracts/templates/share-link.ts";
import { type Command, fieldsOf } from "./command.ts";
import { get, PAGE_QUERY } from "./route-commands.ts";

const TEMPLATES = "/api/v1/design-templates";

/** Commands that share design templates and import them. */
export const SHARE_COMMANDS: readonly Command[] = [
  {
    words: "templates share",
    args: "ID",
    about: "Make a share link to a published revision; prints its address, this once",
    route: {
      operation: "createDesignTemplateShareLink",
      method: "POST",
      path: `${TEMPLATES}/{id}/share-links`,
      fields: fieldsOf<z.input<typeof CreateShareLinkBody>>()({
        revision: ["revision", "number"],
        "require-sign-in": ["require_sign_in", "boolean"],
        "max-imports": ["max_imports", "number"],
        "expires-at": ["expires_at", "text"],
      }),
    },
  },
  {
    words: "templates share-links",
    args: "ID",
    about: "List the share links of a template",
    columns: ["id", "revision", "import_count", "max_imports", "expires_at", "revoked_at"],
    route: {
      operation: "listDesignTemplateShareLinks",
      method: "GET",
      path: `${TEMPLATES}/{id}/share-links`,
      query: PAGE_QUERY,
    },
  },
  {
    words: "templates revoke-link",
    args: "ID LINK_ID",
    about: "Revoke a share link",
    route: {
      operation: "revokeDesignTemplateShareLink",
      method: "DELETE",
      path: `${TEMPLATES}/{id}/share-links/{link_id}`,
    },
  },
  get(
    "templates shared",
    "TOKEN",
    "Show what a share link shares",
    "getSharedDesignTemplate",
    "/api/v1/shared-templates/{token}",
  ),
  {
    words: "templates import",
    about: "Import the template of a share link into this workspace",
    route: {
      operation: "importDesignTemplate",
      method: "POST",
      path: `${TEMPLATES}/import`,
      needsKey: true,
      fields: fieldsOf<z.input<typeof ImportTemplateBody>>()({
        "share-token": ["share_token", "text"],
        name: ["name", "text"],
      }),
    },
  },
];
