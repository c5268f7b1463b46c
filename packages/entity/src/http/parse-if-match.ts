import type { IfMatch } from '../operation/mutate.ts';

const strongTag = /^"(\d{1,15})"$/;

/**
 * Parses `If-Match` to the versions that it names. An `ETag` that is not ours matches no record.
 *
 * @see RFC 9110 section 13.1.1
 */
export function parseIfMatch(header: string | undefined): IfMatch {
  if (header === undefined || header.trim() === '*') return null;
  return header.split(',').flatMap((tag) => {
    const version = strongTag.exec(tag.trim())?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}
