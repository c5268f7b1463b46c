/**
 * Why an entitlement can be denied, in order of actionability: reasons that a caller can change most easily come first.
 */
export const denialReasons = [
  'plan_required',
  'role_required',
  'limit_reached',
  'flag_disabled',
  'hierarchy_denied',
  'step_up_required',
  'not_authenticated',
] as const;

/** Why an entitlement is denied. */
export type DenialReason = (typeof denialReasons)[number];

/** How much of a limit has been used. */
export interface LimitUsage {
  /** The name of the limit. */
  readonly key: string;
  readonly max: number;
  readonly consumed: number;
  /** 0 or more; -1 if unlimited. */
  readonly remaining: number;
  /** When the limit resets, in ISO 8601 as on the wire; null for never. */
  readonly resetsAt: string | null;
}

/** The conditions that would change a denial. */
export interface AccessMeta {
  /** The plans and add-ons of which any one would be enough. */
  readonly requiredPlans?: readonly string[];
  /** The roles on the resource of which any one would be enough. */
  readonly requiredRoles?: readonly string[];
  /** The flags that are off. */
  readonly disabledFlags?: readonly string[];
  /** The first limit without enough left. */
  readonly limit?: LimitUsage;
  /** How much of that limit a move into another tenant needs for what is below the record. */
  readonly needed?: number;
  /** How old, in seconds, the verification of a second factor may be. */
  readonly maxAge?: number;
}

/** Why one layer denies an entitlement. */
export interface Denial {
  /** The most actionable first. */
  readonly reasons: readonly DenialReason[];
  readonly meta: AccessMeta;
}

/** Whether the caller has an entitlement, and if not, why. */
export interface AccessCheck {
  readonly allowed: boolean;
  /** All reasons for a denial, the most actionable first. */
  readonly reasons: readonly DenialReason[];
  /** The first of the reasons. */
  readonly reason?: DenialReason;
  readonly meta?: AccessMeta;
}

/**
 * Returns an allowed check. A new object each time, because requests must not share mutable objects. A shared frozen
 * one would be safe too, but pages of records contain many, and `JSON.stringify` takes twice as long on frozen arrays.
 */
function toAllowed(): AccessCheck {
  return { allowed: true, reasons: [] };
}

/** Joins the denials of all layers. */
export function toAccessCheck(denials: readonly (Denial | null)[]): AccessCheck {
  const found = denials.filter((denial) => denial !== null);
  const [first] = found;
  if (!first) return toAllowed();
  return toDenied(found.length === 1 ? first : joinDenials(found));
}

function joinDenials(denials: readonly Denial[]): Denial {
  return {
    reasons: sortReasons(denials.flatMap((denial) => denial.reasons)),
    meta: joinMeta(denials),
  };
}

/**
 * Joins the metas of several denials. Where two have the same key, the more actionable denial counts, so that the meta
 * explains the reason that is reported first.
 */
export function joinMeta(denials: readonly Pick<AccessCheck, 'reasons' | 'meta'>[]): AccessMeta {
  if (denials.length < 2) return denials[0]?.meta ?? {};
  const lastCounts = denials.toSorted((a, b) => rankOf(a) - rankOf(b)).toReversed();
  return Object.assign({}, ...lastCounts.map(({ meta }) => meta));
}

function rankOf({ reasons: [first] }: Pick<AccessCheck, 'reasons'>): number {
  return first ? denialReasons.indexOf(first) : denialReasons.length;
}

function toDenied({ reasons, meta }: Denial): AccessCheck {
  const [reason] = reasons;
  if (!reason) return { allowed: false, reasons };
  return Object.keys(meta).length > 0 ? { allowed: false, reasons, reason, meta } : { allowed: false, reasons, reason };
}

/** Removes duplicates and sorts reasons, the most actionable first. */
export function sortReasons(reasons: readonly DenialReason[]): readonly DenialReason[] {
  if (reasons.length < 2) return reasons;
  return denialReasons.filter((reason) => reasons.includes(reason));
}
