import type { AccessCheck, DenialReason } from '@x/access/access-set';
import { useAccess, useSession } from '@x/client/react';
import { type ReactElement, use } from 'react';
import { client } from '../client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { PlanContext } from './plan-context.ts';
import { plans } from './plans.ts';

/**
 * Buys the smallest plan above the present one that would allow what is denied. Nothing where none would, or somebody else
 * has to.
 */
export function UpgradeButton(props: { readonly of: AccessCheck }): ReactElement | null {
  const { reasons, meta } = props.of;
  const wanted = meta?.requiredPlans ?? [];
  const { user } = useSession(client);
  const { can } = useAccess(client);
  const { value: present } = use(PlanContext);
  const larger = plans.slice(plans.findIndex((plan) => plan === present?.plan) + 1);
  const next = larger.find((plan) => wanted.includes(plan)) ?? larger[0];
  const tenantId = user?.tenantId;
  const isForSale = reasons.some((reason) => forSale.has(reason)) && can('organization:manage');
  if (!isForSale || !next || !tenantId) return null;
  return (
    <ActionButton className="primary" send={() => client.entities.organizations.plan(tenantId, { plan: next })}>
      Upgrade to {next}
    </ActionButton>
  );
}

const forSale: ReadonlySet<DenialReason> = new Set(['plan_required', 'limit_reached']);
