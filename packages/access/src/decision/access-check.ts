import { sortReasons, type DenialReason } from './denial-reason.ts';

/** How much of a limit is used up. */
export interface LimitUsage {
  /** The name of the limit. */
  readonly key: string;
  readonly max: number;
  readonly consumed: number;
  /** 0 or more; -1 where the limit is unlimited. */
  readonly remaining: number;
  /** When it starts anew, in ISO 8601, so that it is the same on the wire; null for never. */
  readonly resetsAt: string | null;
}

/** What would change a denial. */
export interface AccessMeta {
  /** The plans and add-ons any of which would be enough. */
  readonly requiredPlans?: readonly string[];
  /** The roles on the resource any of which would be enough. */
  readonly requiredRoles?: readonly string[];
  /** The flags that are off. */
  readonly disabledFlags?: readonly string[];
  /** The first limit of which there is not enough left. */
  readonly limit?: LimitUsage;
  /** How many seconds ago a second factor may have been given. */
  readonly maxAge?: number;
}

/** What one layer has against an entitlement. */
export interface Denial {
  readonly reasons: readonly DenialReason[];
  readonly meta: AccessMeta;
}

/** Whether an entitlement is held, and if not, why. */
export interface AccessCheck {
  readonly allowed: boolean;
  /** All that stands in the way, the most actionable first. */
  readonly reasons: readonly DenialReason[];
  /** The first of the reasons. */
  readonly reason?: DenialReason;
  readonly meta?: AccessMeta;
}

/**
 * Returns that nothing stands in the way: a new one each time, as no two requests may share what one of them can change. A
 * frozen one would do for all, but pages of records hold many, and frozen lists make `JSON.stringify` take twice as long.
 */
export function toAllowed(): AccessCheck {
  return { allowed: true, reasons: [] };
}

/** Joins what all layers have against an entitlement. */
export function toAccessCheck(denials: readonly (Denial | null)[]): AccessCheck {
  const found = denials.filter((denial) => denial !== null);
  const [first] = found;
  if (!first) return toAllowed();
  return toDenied(found.length === 1 ? first : joinDenials(found));
}

function joinDenials(denials: readonly Denial[]): Denial {
  return {
    reasons: sortReasons(denials.flatMap((denial) => denial.reasons)),
    meta: Object.assign({}, ...denials.map((denial) => denial.meta)),
  };
}

function toDenied({ reasons, meta }: Denial): AccessCheck {
  const [reason] = reasons;
  if (!reason) return { allowed: false, reasons };
  return Object.keys(meta).length > 0 ? { allowed: false, reasons, reason, meta } : { allowed: false, reasons, reason };
}
