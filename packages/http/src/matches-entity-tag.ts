/**
 * Says whether an `If-None-Match` header names an `ETag`. They compare weakly: what a proxy has made of a tag still counts.
 *
 * @see RFC 9110 section 13.1.2
 */
export function matchesEntityTag(header: string | undefined, tag: string): boolean {
  return header !== undefined && header.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')));
}
