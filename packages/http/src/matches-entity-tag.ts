/**
 * Says whether an `If-None-Match` header names an `ETag`. The comparison is weak, so a tag that a proxy weakened still
 * matches.
 *
 * @see RFC 9110 section 13.1.2
 */
export function matchesEntityTag(header: string | undefined, tag: string): boolean {
  return header !== undefined && header.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')));
}
