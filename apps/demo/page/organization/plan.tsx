import { useQuery } from '@x/client/cache';
import { Check } from 'lucide-react';
import type { ReactElement } from 'react';
import { planLimits } from '../access/model.ts';
import { cache, client } from '../client/client.ts';
import { plans, useOrganizationId } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { chosenOf, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { changePlan, planNames } from '../form/upgrade-button.tsx';
import { useVerdict } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { planName, toOptions } from '../text/names.ts';
import { t } from '../text/text.ts';
import { Usage } from './usage.tsx';

/** The plan of the organization beside the others, how much of its limits is used, and its add-on. */
export default function PlanPart(): ReactElement {
  const organizationId = useOrganizationId();
  const mayManage = useVerdict('organization:manage');
  return (
    <Loaded of={useQuery(plans, organizationId)} lines={6}>
      {({ plan, limits, addOns, incompatible }) => (
        <>
          <section aria-labelledby="plan-now" className="card">
            <h2 id="plan-now">{t.organization.usageTitle}</h2>
            <p>
              {t.organization.onPlan(plan)[0]}
              <strong>{planName(plan)}</strong>
            </p>
            {limits.map((limit) => (
              <Usage key={limit.key} limit={limit} />
            ))}
            <Form
              key={plan}
              label={t.organization.planForm}
              submit={t.organization.changePlan}
              className="form row"
              tone="plain"
              verdict={mayManage}
              send={({ chosen }) => changePlan(organizationId, chosenOf(planNames, chosen))}
              onSent={(changed) => announce(t.organization.planChanged(planName(changed.plan)))}
            >
              <Select
                label={t.organization.changePlanTo}
                name="chosen"
                options={toOptions(planNames, planName)}
                defaultValue={plan}
              />
            </Form>
          </section>
          <ul className="plans">
            {planNames.map((name) => (
              <PlanCard key={name} name={name} isCurrent={name === plan} />
            ))}
          </ul>
          <AddOn isAttached={addOns.length > 0} isIdle={incompatible.length > 0} />
        </>
      )}
    </Loaded>
  );
}

function PlanCard(props: { readonly name: (typeof planNames)[number]; readonly isCurrent: boolean }): ReactElement {
  const { name, isCurrent } = props;
  const { feature } = t.organization;
  const features = [
    feature.tracking,
    ...(name === 'free' ? [] : [feature.export]),
    ...(name === 'enterprise' ? [feature.report] : []),
  ];
  const limits = ['projects', 'tasks', 'exports'].flatMap((key) => {
    const limit = planLimits[name][key];
    if (limit) return [t.organization.perPeriod(limit.max, key, limit.per)];
    return key === 'exports' ? [] : [t.organization.unlimited(key)];
  });
  return (
    <li className="card" aria-current={isCurrent}>
      <h2>
        {planName(name)} {isCurrent && <span className="tag">{t.organization.current}</span>}
      </h2>
      <ul className="stack tight">
        {[...features, ...limits].map((text) => (
          <li key={text} className="facts">
            <Check aria-hidden className="good" /> {text}
          </li>
        ))}
      </ul>
    </li>
  );
}

function AddOn(props: { readonly isAttached: boolean; readonly isIdle: boolean }): ReactElement {
  const { isAttached, isIdle } = props;
  const organizationId = useOrganizationId();
  const attach = !isAttached && !isIdle;
  return (
    <section aria-labelledby="add-ons" className="card">
      <h2 id="add-ons">{t.organization.addOns}</h2>
      <p>
        <strong>{t.organization.extraExports}</strong>{' '}
        <span className="hint">{isIdle ? t.organization.addOnIncompatible : t.organization.addOnNeeds('pro')}</span>
      </p>
      <div className="actions">
        <ActionButton
          verdict={useVerdict('organization:manage')}
          send={() =>
            cache.write(
              () => client.entities.organizations.addOns(organizationId, { addOn: 'extra-exports', attach }),
              { touches: ['plan', 'projects'] },
            )
          }
          onSent={() => announce(attach ? t.organization.attached : t.organization.detached)}
        >
          {attach ? t.organization.attach : t.organization.detach}
        </ActionButton>
      </div>
    </section>
  );
}
