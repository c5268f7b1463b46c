import {
  type AccessCheck,
  type AccessMeta,
  denialReasons,
  type DenialReason,
  type LimitUsage,
} from '../outcome/access-check.ts';
import { isRecord, isTextList, own } from '../unknown-input.ts';

/**
 * The entitlements of one user in one tenant, for a client to display. It is advisory: the server decides again on
 * every request. The records of a decoded set have no prototype, so looking up a name never finds an inherited
 * property.
 */
export interface AccessSet {
  /** All entitlements, by name. */
  readonly entitlements: Readonly<Record<string, AccessCheck>>;
  /** The tenant's plans, by group. */
  readonly plans: Readonly<Record<string, string>>;
}

/** An access set in the form that is sent. An entitlement that is missing from it is denied for lack of a role. */
export interface EncodedAccessSet {
  /** The names of allowed entitlements. */
  readonly allow: readonly string[];
  /** Denied entitlements, with the meta of each denial. */
  readonly deny: Readonly<Record<string, Pick<AccessCheck, 'reasons' | 'meta'>>>;
  readonly plans: Readonly<Record<string, string>>;
}

/** Encodes an access set, in the order of its names, without the parts that {@link decodeAccessSet} restores. */
export function encodeAccessSet({ entitlements, plans }: AccessSet): EncodedAccessSet {
  const all = toSorted(entitlements);
  return {
    allow: all.filter(([, { allowed }]) => allowed).map(([name]) => name),
    deny: Object.fromEntries(
      all.flatMap(([name, { allowed, reasons, meta }]) => (allowed || !meta ? [] : [[name, { reasons, meta }]])),
    ),
    plans: Object.fromEntries(toSorted(plans)),
  };
}

function toSorted<Value>(record: Readonly<Record<string, Value>>): readonly (readonly [string, Value])[] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Restores an access set. Never throws: anything that is missing or is not an encoded access set is denied.
 *
 * @param encoded - untrusted
 * @param names - the names of all entitlements
 *
 * @example
 * ```ts
 * const { entitlements } = decodeAccessSet(await response.json(), ['project:read', 'project:update']);
 * const mayUpdate = entitlements['project:update']?.allowed ?? false;
 * ```
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
  return denialReasons.some((reason) => reason === text);
}

/** Parses the meta of a denial, leaving out members of the wrong type; undefined if nothing is left. */
function parseAccessMeta(meta: unknown): AccessMeta | undefined {
  const [requiredPlans, requiredRoles] = [own(meta, 'requiredPlans'), own(meta, 'requiredRoles')];
  const [disabledFlags, maxAge] = [own(meta, 'disabledFlags'), own(meta, 'maxAge')];
  const limit = parseLimit(own(meta, 'limit'));
  const parsed: AccessMeta = {
    ...(isTextList(requiredPlans) && { requiredPlans }),
    ...(isTextList(requiredRoles) && { requiredRoles }),
    ...(isTextList(disabledFlags) && { disabledFlags }),
    ...(limit && { limit }),
    ...(isNumber(maxAge) && { maxAge }),
  };
  return Object.keys(parsed).length > 0 ? parsed : undefined;
}

function parseLimit(limit: unknown): LimitUsage | undefined {
  const [key, resetsAt] = [own(limit, 'key'), own(limit, 'resetsAt')];
  const [max, consumed, remaining] = [own(limit, 'max'), own(limit, 'consumed'), own(limit, 'remaining')];
  if (typeof key !== 'string' || !isNumber(max) || !isNumber(consumed) || !isNumber(remaining)) return undefined;
  if (resetsAt !== null && typeof resetsAt !== 'string') return undefined;
  return { key, max, consumed, remaining, resetsAt };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Builds an object without a prototype. */
export function toBareRecord<Value>(entries: Iterable<readonly [string, Value]>): Readonly<Record<string, Value>> {
  const record = Object.create(null) as Record<string, Value>;
  for (const [name, value] of entries) record[name] = value;
  return record;
}
