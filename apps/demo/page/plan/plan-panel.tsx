import { type ReactElement, use } from 'react';
import { useAccess } from '../access/use-access.ts';
import { Form } from '../form/form.tsx';
import { Select } from '../form/select.tsx';
import { tellChange } from '../load/changes.ts';
import { Show } from '../load/show.tsx';
import { PlanContext } from './plan-context.ts';
import { choosePlan, plans, planTopics } from './plans.ts';
import { UsageBar } from './usage-bar.tsx';

/** The plan of the organization, and how much of its limits is used. */
export function PlanPanel(props: { readonly organizationId: string }): ReactElement {
  const check = useAccess();
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
              send={({ chosen = '' }) => choosePlan(props.organizationId, chosen)}
              onSent={() => tellChange(...planTopics)}
            >
              <Select label="Change the plan to" name="chosen" options={options} defaultValue={plan} />
            </Form>
          </>
        )}
      </Show>
    </section>
  );
}

const options = plans.map((plan) => ({ value: plan, text: plan }));
