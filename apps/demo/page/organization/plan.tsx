import type { AccessCheck, DenialReason, LimitUsage } from '@x/access/access-set';
import { useAccess, useSession } from '@x/client/react';
import type { PlanState } from '@x/organizations';
import { createContext, type ReactElement, use, useId } from 'react';
import { client } from '../client/client.ts';
import { type Loaded, Show } from '../client/load.tsx';
import { ActionButton } from '../form/action-button.tsx';
import { chosenOf, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { formatDay } from '../screen/wording.tsx';

/** The plan of the current organization. */
export const PlanContext: React.Context<Loaded<PlanState>> = createContext<Loaded<PlanState>>({
  value: undefined,
  error: null,
});

/** Shows the plan of the organization and how much of its limits is used, and changes it. */
export function PlanPanel(props: { readonly organizationId: string }): ReactElement {
  const { check } = useAccess(client);
  return (
    <section aria-labelledby="plan" className="card">
      <h2 id="plan">Plan</h2>
      <Show of={use(PlanContext)}>
        {({ plan, limits }) => (
          <>
            <p>
              You are on <strong className="tag">{plan}</strong>
            </p>
            {limits.map((limit) => (
              <UsageBar key={limit.key} limit={limit} />
            ))}
            <Form
              key={plan}
              label="Plan"
              submit="Change"
              className="form row"
              tone="plain"
              check={check('organization:manage')}
              send={({ chosen }) =>
                client.entities.organizations.plan(props.organizationId, { plan: chosenOf(plans, chosen) })
              }
            >
              <Select label="Change the plan to" name="chosen" options={plans} defaultValue={plan} />
            </Form>
          </>
        )}
      </Show>
    </section>
  );
}

/** How much of a limit is used; a maximum of -1 means unlimited. */
export function UsageBar(props: { readonly limit: LimitUsage }): ReactElement {
  const { key, max, consumed, resetsAt } = props.limit;
  const isLimited = max !== -1;
  const id = useId();
  return (
    <div className="usage">
      <label htmlFor={id}>{key}</label>
      <span className="hint">
        {isLimited ? `${consumed} of ${max} used` : `${consumed} used, without a limit`}
        {resetsAt !== null && `, until ${formatDay(resetsAt)}`}
      </span>
      <progress id={id} max={isLimited ? Math.max(max, 1) : 1} value={isLimited ? consumed : 0} />
    </div>
  );
}

/**
 * Changes to the smallest larger plan that allows what is denied, or else to the next larger one. Nothing if the denial
 * has another reason than the plan, or the user may not change the plan.
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

/** The plans, the smallest first. */
const plans = ['free', 'pro', 'enterprise'] as const;
