/** Says whether a text, which may come from a request, is one that every store can hold. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
