import type { AccessCheck } from '@x/access';
import { type EntitlementGrant, type OperationRule, toGrantKey } from './operation-rule.ts';
import { askGrants, type Granted, holdsWith, judgeWith, type Subject, toAsked, type Verdict } from './judge.ts';
import { denied } from './refusals.ts';
import type { Scope } from '../operation/scope.ts';

/** The outcome of a rule, and the grants that were held for it. */
export interface Use {
  readonly verdict: Verdict;
  readonly granted: Granted;
  /** The entitlements that the operation needs, to be consumed along with it. */
  readonly needed: readonly EntitlementGrant[];
}

/**
 * Judges an operation and finds the entitlements that it needs, without those that an alternative of the rule makes
 * unnecessary.
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
 * Consumes entitlements in the transaction of the operation, so that a rollback gives them back. Consuming blocks
 * others of the same tenant until the commit, so it is done last.
 *
 * @throws CodedError if a limit was reached meanwhile
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
