/** A content coding that we produce (RFC 9110 section 8.4.1). */
export type ContentCoding = 'br' | 'gzip';

/**
 * Chooses the coding that a client prefers, and of several that it likes equally the first that is offered; null for
 * none, also for a client that accepts nothing at all.
 *
 * @param header - `Accept-Encoding`
 * @param offered - in the order of our preference
 * @see RFC 9110 section 12.5.3
 */
export function negotiateCoding(header: string | undefined, offered: readonly ContentCoding[]): ContentCoding | null {
  if (header === undefined) return null;
  const weights = parseWeights(header);
  const others = weights.get('*');
  // Identity is always acceptable, but a client that names codings gets it only if none of these is offered.
  let best = weights.get('identity') ?? others ?? 0;
  let chosen: ContentCoding | null = null;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? others ?? 0;
    const isPreferred = chosen === null ? weight >= best : weight > best;
    if (weight > 0 && isPreferred) [chosen, best] = [coding, weight];
  }
  return chosen;
}

/** Reads codings and their weights; malformed entries are skipped. */
function parseWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const element of header.toLowerCase().split(',')) {
    const [, coding, weight = '1'] = weightedCoding.exec(element.trim()) ?? [];
    if (coding !== undefined) weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight));
  }
  return weights;
}

const weightedCoding = /^([!#$%&'*+.^`|~\w-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/**
 * Says whether a body has to be decoded before it is read, by its `Content-Encoding`.
 *
 * @see RFC 9110 section 8.4
 */
export function isEncoded(header = ''): boolean {
  return header.split(',').some((coding) => !['', 'identity'].includes(coding.trim().toLowerCase()));
}
