/**
 * The characters that RFC 5322 section 3.2.3 reserves for lists, groups, names and comments, and those that no header
 * line may contain.
 */
const special = /[()<>[\]:;\\,"\p{Cc}\p{Cf}\p{Z}]/u;

/** Says whether a text is one plain address: no list, no name, no line break. */
export function isPlainAddress(text: string): boolean {
  const parts = text.split('@');
  return parts.length === 2 && parts.every((part) => part !== '') && !special.test(text) && text.isWellFormed();
}
