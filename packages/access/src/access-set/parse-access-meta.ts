import type { AccessMeta, LimitUsage } from '../decision/access-check.ts';
import { isTextList, own } from '../input/unknown-input.ts';

/** Parses the meta of a denial, leaving out members of the wrong type; undefined if nothing is left. */
export function parseAccessMeta(meta: unknown): AccessMeta | undefined {
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
