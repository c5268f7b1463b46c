import { hash } from 'node:crypto';
import type { AccessMeta } from '../outcome/access-check.ts';
import type { EncodedAccessSet } from './access-set.ts';

/**
 * Hashes an access set: SHA-256 of its canonical JSON, base64url. The usage of limits and the times of their resets are
 * left out, so the hash changes exactly when the access of the user changes.
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

/**
 * Serializes plain data to JSON that is the same for equal data: members sorted by name, no spaces. Members that are
 * `undefined` are left out.
 */
function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${toCanonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
