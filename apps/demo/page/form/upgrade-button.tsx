import type { DenialReason } from '@x/access/access-set';
import { useAccess, useQuery } from '@x/client/react';
import type { ReactElement } from 'react';
import { client } from '../client/client.ts';
import { changeAddOn, changePlan, planNames, plans } from '../client/plans.ts';
import { useOrganizationId } from '../client/queries.ts';
import { announce } from '../screen/announce.tsx';
import { addOnName, planName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { ActionButton } from './action-button.tsx';
import type { Verdict } from './verdict.tsx';

/**
 * Changes to the smallest larger plan that allows what is denied, or else to the next larger one; where more of a limit
 * can be bought, that is offered, too. Nothing if the denial has another reason than the plan, or the user may not
 * change the plan.
 */
export function UpgradeButton(props: { readonly of: Pick<Verdict, 'check'> }): ReactElement | null {
  const { reasons = [], meta } = props.of.check ?? {};
  const isForSale = reasons.some((reason) => forSale.has(reason));
  return isForSale ? <Offer wanted={meta?.requiredPlans ?? []} limit={meta?.limit?.key} /> : null;
}

function Offer(props: { readonly wanted: readonly string[]; readonly limit: string | undefined }): ReactElement | null {
  const { can } = useAccess(client);
  const organizationId = useOrganizationId();
  const { data: present } = useQuery(plans, organizationId);
  if (!present || !can('organization:manage')) return null;
  const larger = planNames.slice(planNames.findIndex((plan) => plan === present.plan) + 1);
  const next = larger.find((plan) => props.wanted.includes(plan)) ?? larger[0];
  const mayAdd = props.limit === 'exports' && present.plan === 'pro' && present.addOns.length === 0;
  return (
    <>
      {next && (
        <ActionButton
          className="primary"
          send={() => changePlan(organizationId, next)}
          onSent={() => announce(t.organization.planChanged(planName(next)))}
        >
          {t.common.upgradeTo(planName(next))}
        </ActionButton>
      )}
      {mayAdd && (
        <ActionButton send={() => changeAddOn(organizationId, true)} onSent={() => announce(t.organization.attached)}>
          {addOnName('extra-exports')}
        </ActionButton>
      )}
    </>
  );
}

const forSale: ReadonlySet<DenialReason> = new Set(['plan_required', 'limit_reached']);
