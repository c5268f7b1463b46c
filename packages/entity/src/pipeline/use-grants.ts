import type { AccessCheck } from '@x/access';
import { type EntitlementGrant, type OperationRule, toGrantKey } from '../rule/operation-rule.ts';
import { askGrants, type Granted, holdsWith, judgeWith, type Subject, toAsked, type Verdict } from './judge.ts';
import { denied } from './refusals.ts';
import type { Scope } from './scope.ts';

/** What came of a rule, and what the caller was granted for it. */
export interface Use {
  readonly verdict: Verdict;
  readonly granted: Granted;
  /** The entitlements that it takes, which are to be consumed with what is done. */
  readonly needed: readonly EntitlementGrant[];
}

/**
 * Judges what is about to be done and finds the entitlements that it takes: none of those that alternatives of the rule
 * make superfluous.
 */
export async function planUse(scope: Scope, rule: OperationRule, subject: Subject): Promise<Use> {
  const held = await askGrants(scope, rule.grants, subject);
  const verdict = await judgeWith(scope, rule, { subject, granted: held });
  if (!verdict.allowed) return { verdict, granted: held, needed: [] };
  let granted = held;
  const needed: EntitlementGrant[] = [];
  for (const grant of rule.grants) {
    const others = new Map(granted).set(toGrantKey(grant), false);
    const isSuperfluous = !held.get(toGrantKey(grant)) || holdsWith(scope, rule, { subject, granted: others });
    if (isSuperfluous) granted = others;
    else if (grant.type === 'entitlement') needed.push(grant);
  }
  return { verdict, granted, needed };
}

/**
 * Consumes entitlements, in the transaction of what is done: it is given back where that is undone. Whoever consumes keeps
 * others of the same tenant from it until the commit, so it is done last.
 *
 * @throws CodedError where a limit was reached meanwhile
 */
export async function consumeNeeded(
  scope: Scope,
  needed: readonly EntitlementGrant[],
  subject: Subject,
): Promise<void> {
  for (const grant of needed) {
    const asked = toAsked(scope, grant, subject);
    if (!asked) continue;
    const use = await scope.access().consume(grant.entitlement, asked.resource, asked.row ? { row: asked.row } : {});
    if (!use.allowed) throw denied(refused(use));
  }
}

function refused({ reasons, meta }: AccessCheck): Verdict {
  return { allowed: false, isRowRefused: false, reasons, meta: { ...meta } };
}
