import type * as z from "zod";
import type {
  MintEditorToken,
  MintRuntimeToken,
} from "../../src/contracts/embeds/embed-requests.ts";
import { type Command, fieldsOf } from "./command.ts";

const COMMON = {
  origins: ["allowed_origins", "list"],
  "expires-in": ["expires_in_minutes", "number"],
  "end-user-id": ["end_user_id", "text"],
} as const;

/** Commands that mint and revoke embed tokens. */
export const EMBED_COMMANDS: readonly Command[] = [
  {
    words: "embeds mint",
    about: "Mint a token for the widget of a workflow; prints it, this once",
    route: {
      operation: "mintEmbedToken",
      method: "POST",
      path: "/api/v1/embed/tokens",
      fields: fieldsOf<z.input<typeof MintRuntimeToken>>()({
        workflow: ["workflow", "text"],
        interface: ["interface", "text"],
        "max-executions": ["max_executions", "number"],
        ...COMMON,
      }),
    },
  },
  {
    words: "embeds mint-editor",
    about: "Mint a token for the editor; prints it, this once",
    route: {
      operation: "mintEditorToken",
      method: "POST",
      path: "/api/v1/embed/editor/tokens",
      fields: fieldsOf<z.input<typeof MintEditorToken>>()(COMMON),
    },
  },
  {
    words: "embeds revoke",
    args: "JTI",
    about: "Revoke an embed token",
    route: {
      operation: "revokeEmbedToken",
      method: "DELETE",
      path: "/api/v1/embed/tokens/{jti}",
      query: ["expires_at"],
    },
  },
];
