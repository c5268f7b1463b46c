import type { AccessCheck } from '@x/access';
import { type OperationRule, toGrantKey } from '../rule/operation-rule.ts';
import { askGrants, type Granted, holdsWith, judgeWith, type Subject, toAsked, type Verdict } from './judge.ts';
import type { Scope } from './scope.ts';

/** What came of a rule, and what the caller was granted for it. */
export interface Use {
  readonly verdict: Verdict;
  readonly granted: Granted;
}

/**
 * Judges what is about to be done and consumes the entitlements that it takes: none of those that alternatives of the rule
 * make superfluous. What is consumed in a transaction is given back where that is undone.
 */
export async function useGrants(scope: Scope, rule: OperationRule, subject: Subject): Promise<Use> {
  const held = await askGrants(scope, rule.grants, subject);
  const verdict = await judgeWith(scope, rule, { subject, granted: held });
  if (!verdict.allowed) return { verdict, granted: held };
  let needed = held;
  for (const grant of rule.grants) {
    const key = toGrantKey(grant);
    const others = new Map(needed).set(key, false);
    if (!held.get(key) || holdsWith(scope, rule, { subject, granted: others })) {
      needed = others;
      continue;
    }
    const asked = grant.type === 'entitlement' ? toAsked(scope, grant, subject) : null;
    if (!asked || grant.type !== 'entitlement') continue;
    const use = await scope.access().consume(grant.entitlement, asked.resource, asked.row ? { row: asked.row } : {});
    if (!use.allowed) return { verdict: refused(use), granted: others };
  }
  return { verdict, granted: needed };
}

function refused({ reasons, meta }: AccessCheck): Verdict {
  return { allowed: false, isRowRefused: false, reasons, meta: { ...meta } };
}
