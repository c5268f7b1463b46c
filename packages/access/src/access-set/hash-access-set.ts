import { hash } from 'node:crypto';
import type { AccessMeta } from '../decision/access-check.ts';
import type { EncodedAccessSet } from './access-set.ts';
import { toCanonicalJson } from './canonical-json.ts';

/**
 * Hashes an access set: SHA-256 of its canonical JSON, base64url. The usage of limits and the times of their resets are
 * left out, so the hash changes exactly when what the user may do changes.
 */
export function hashAccessSet({ allow, deny, plans }: EncodedAccessSet): string {
  const lasting = {
    allow: allow.toSorted(),
    deny: Object.fromEntries(
      Object.entries(deny).map(([name, { reasons, meta }]) => [
        name,
        { reasons, ...(meta && { meta: toLasting(meta) }) },
      ]),
    ),
    plans,
  };
  return hash('sha256', toCanonicalJson(lasting), 'base64url');
}

function toLasting({ limit, ...meta }: AccessMeta): object {
  return limit ? { ...meta, limit: { key: limit.key, max: limit.max } } : meta;
}
