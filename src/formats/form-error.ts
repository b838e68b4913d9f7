/** A form that cannot be read. The message is public: it states the problem and the fix. */
export class FormError extends Error {
  override readonly name = "FormError";
}
