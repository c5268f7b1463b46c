import { useAccess } from '@x/client/react';
import { type ReactElement, use } from 'react';
import { client } from '../client.ts';
import { Form } from '../form/form.tsx';
import { chosenOf, Select } from '../form/select.tsx';
import { Show } from '../load/show.tsx';
import { PlanContext } from './plan-context.ts';
import { plans } from './plans.ts';
import { UsageBar } from './usage-bar.tsx';

/** The plan of the organization, and how much of its limits is used. */
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
