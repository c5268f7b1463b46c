import type { AccessCheck } from '../decision/access-check.ts';
import { byActionability, type DenialReason } from '../decision/denial-reason.ts';
import type { AccessSet } from './access-set.ts';
import { parseAccessMeta } from './parse-access-meta.ts';
import { isRecord, isTextList, own, toBareRecord } from '../input/unknown-input.ts';

/**
 * Restores an access set. Never throws: anything that is missing or is not an encoded access set is denied.
 *
 * @param encoded - untrusted
 * @param names - the names of all entitlements
 */
export function decodeAccessSet(encoded: unknown, names: Iterable<string>): AccessSet {
  const { allow, deny, plans } = parse(encoded) ?? nothing;
  const allowed = new Set(allow);
  const check = (name: string): AccessCheck => {
    if (Object.hasOwn(deny, name)) return toDenied(deny[name]);
    return allowed.has(name) ? { allowed: true, reasons: [] } : toDenied(undefined);
  };
  return {
    entitlements: toBareRecord(Array.from(names, (name) => [name, check(name)])),
    plans: toBareRecord(Object.entries(plans)),
  };
}

/** An access set of the right shape, whose denials are not parsed yet. */
interface ParsedAccessSet {
  readonly allow: readonly string[];
  readonly deny: Readonly<Record<string, unknown>>;
  readonly plans: Readonly<Record<string, string>>;
}

const nothing: ParsedAccessSet = { allow: [], deny: {}, plans: {} };

function parse(encoded: unknown): ParsedAccessSet | null {
  const [allow, deny, plans] = [own(encoded, 'allow'), own(encoded, 'deny'), own(encoded, 'plans')];
  if (!isTextList(allow) || !isRecord(deny) || !isRecord(plans) || !hasTexts(plans)) return null;
  return { allow, deny, plans };
}

function hasTexts(record: Readonly<Record<string, unknown>>): record is Readonly<Record<string, string>> {
  return isTextList(Object.values(record));
}

function toDenied(denial: unknown): AccessCheck {
  const given = own(denial, 'reasons');
  const known = isTextList(given) ? given.filter(isReason) : [];
  const reasons: readonly DenialReason[] = known.length > 0 ? known : ['role_required'];
  const meta = parseAccessMeta(own(denial, 'meta'));
  const [reason] = reasons;
  return { allowed: false, reasons, ...(reason && { reason }), ...(meta && { meta }) };
}

function isReason(text: string): text is DenialReason {
  return byActionability.some((reason) => reason === text);
}
