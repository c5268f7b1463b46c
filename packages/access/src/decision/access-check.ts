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

/** That nothing stands in the way. */
export const allowed: AccessCheck = Object.freeze({ allowed: true, reasons: Object.freeze([]) });

/** Joins what all layers have against an entitlement. */
export function toAccessCheck(denials: readonly (Denial | null)[]): AccessCheck {
  const found = denials.filter((denial) => denial !== null);
  if (found.length === 0) return allowed;
  const reasons = sortReasons(found.flatMap((denial) => denial.reasons));
  const [only] = found;
  const meta: AccessMeta =
    only && found.length === 1 ? only.meta : Object.assign({}, ...found.map((each) => each.meta));
  const [reason] = reasons;
  return {
    allowed: false,
    reasons,
    ...(reason && { reason }),
    ...(Object.keys(meta).length > 0 && { meta }),
  };
}
