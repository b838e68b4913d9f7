import * as z from "zod";
import type { IdKind } from "../platform/ids.ts";
import { idField } from "./id-field.ts";

/** The id of a path like `{upload_id}:complete`, where the parameter also contains the action. */
export function actionIdField(kind: IdKind, action: string) {
  return z
    .string()
    .transform((given) => given.replace(new RegExp(`:${action}$`), ""))
    .pipe(idField(kind));
}
