import type { AccessCheck, DenialReason } from '@x/access/access-set';
import { useSession } from '@x/client/react';
import { type ReactElement, use } from 'react';
import { useAccess } from '../access/use-access.ts';
import { client } from '../client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { tellChange } from '../load/changes.ts';
import { PlanContext } from './plan-context.ts';
import { choosePlan, plans, planTopics } from './plans.ts';

/**
 * Buys the smallest plan above the present one that would allow what is denied. Nothing where none would, or somebody else
 * has to.
 */
export function UpgradeButton(props: { readonly of: AccessCheck }): ReactElement | null {
  const { reasons, meta } = props.of;
  const wanted = meta?.requiredPlans ?? [];
  const { user } = useSession(client);
  const check = useAccess();
  const { value: present } = use(PlanContext);
  const larger = plans.slice(plans.indexOf(present?.plan ?? 'free') + 1);
  const next = larger.find((plan) => wanted.includes(plan)) ?? larger[0];
  const tenantId = user?.tenantId;
  if (!reasons.some((reason) => isForSale.has(reason)) || !next || !tenantId || !check('organization:manage').allowed)
    return null;
  return (
    <ActionButton className="primary" send={() => choosePlan(tenantId, next)} onSent={() => tellChange(...planTopics)}>
      Upgrade to {next}
    </ActionButton>
  );
}

const isForSale: ReadonlySet<DenialReason> = new Set(['plan_required', 'limit_reached']);
