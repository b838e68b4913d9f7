/** A form that cannot be read. The message is public: it says what is wrong and how to mend it. */
export class FormError extends Error {
  override readonly name = "FormError";
}
