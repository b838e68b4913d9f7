/**
 * Control, bidirectional and other format characters, private use, unassigned, line separators:
 * characters that can make a name look like another one. Without the two joiners, which Persian,
 * the Indic scripts and emoji need.
 */
export const HIDDEN_CHARACTERS = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu;
