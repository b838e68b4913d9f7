/** Code points of a text: a pair of surrogates is one. */
export function countCharacters(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    pairs += unit >= 0xd800 && unit < 0xdc00 ? 1 : 0;
  }
  return text.length - pairs;
}
