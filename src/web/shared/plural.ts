/** Forms of a text by the plural rule of a number in its language. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** The form for a number. */
export function formOf(forms: Plural, rules: Intl.PluralRules, number: number): string {
  return forms[rules.select(number)] ?? forms.other;
}
