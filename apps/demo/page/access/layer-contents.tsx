import type { AccessTrace } from '@x/access';
import { useAccess } from '@x/client/react';
import type { ReactElement } from 'react';
import { client } from '../client/client.ts';
import { planNames } from '../client/plans.ts';
import { UpgradeButton } from '../form/upgrade-button.tsx';
import { Usage } from '../organization/usage.tsx';
import { formatChoice, shorten } from '../screen/wording.tsx';
import { addOnName, planName, roleName } from '../text/names.ts';
import { t } from '../text/text.ts';
import { tools } from '../text/tools.ts';
import { GrantButton } from './grant-button.tsx';
import { type LayerName, type LayerState, limitsOf } from './layers.ts';
import type { NameOf } from './resource-select.tsx';

/** A decision, and whom it is about. */
export interface LayerProps {
  readonly trace: AccessTrace;
  /** Another person; null for the visitor. */
  readonly person: string | null;
  readonly nameOf: NameOf;
}

type Content = (props: LayerProps & { readonly state: LayerState }) => ReactElement;

/** What each layer says of a decision. */
export const layerContents: Readonly<Record<LayerName, Content>> = {
  role: Role,
  inheritance: Inheritance,
  plan: Plan,
  limit: Limit,
  flag: Flag,
  rule: Rule,
};

/** The roles as they were given. */
function Role({ state, ...props }: Parameters<Content>[0]): ReactElement {
  const { trace, nameOf } = props;
  const given = new Map(trace.rolePaths.flatMap(({ steps: [first] }) => (first ? [[stepKey(first), first]] : [])));
  return (
    <>
      {given.size === 0 && <p>{tools.access.noRole}</p>}
      {given.size > 0 && (
        <ul className="path">
          {Array.from(given, ([key, step]) => (
            <Step key={key} step={step} nameOf={nameOf} />
          ))}
        </ul>
      )}
      {state === 'blocks' && <RoleControl {...props} />}
    </>
  );
}

/** How the roles reach the resource from above. */
function Inheritance({ state, ...props }: Parameters<Content>[0]): ReactElement {
  const { trace, nameOf } = props;
  const inherited = trace.rolePaths.filter(({ steps }) => steps.length > 1);
  if (inherited.length === 0) {
    return <p>{state === 'unreached' ? tools.access.nothingToInherit : tools.access.notInherited}</p>;
  }
  return (
    <>
      {inherited.map(({ steps, isEnough }) => (
        <ol key={JSON.stringify(steps)} className={isEnough ? 'path enough' : 'path'}>
          {steps.map((step) => (
            <Step key={stepKey(step)} step={step} nameOf={nameOf} />
          ))}
          <li className="end">{isEnough ? tools.access.enough : tools.access.notEnough}</li>
        </ol>
      ))}
      {state === 'blocks' && <RoleControl {...props} />}
    </>
  );
}

type RoleStep = AccessTrace['rolePaths'][number]['steps'][number];

function stepKey({ resource, role }: RoleStep): string {
  return `${resource.type}:${resource.id} ${role}`;
}

function Step(props: { readonly step: RoleStep; readonly nameOf: NameOf }): ReactElement {
  const { resource, role } = props.step;
  const name = props.nameOf(resource);
  return (
    <li>
      <span title={name}>
        <strong>{roleName(role)}</strong>
        {tools.access.roleOf(shorten(name))}
      </span>
    </li>
  );
}

/** Gives another person the role; who needs it themselves is told whom to ask. */
function RoleControl({ trace, person, nameOf }: LayerProps): ReactElement {
  return (
    <>
      <p>{t.denial.role_required(trace.meta ?? {})}</p>
      <div className="actions">
        {person !== null && <GrantButton {...{ trace, person, nameOf }} />}
        <a href="/organization/members">{person === null ? tools.access.askForRole : tools.access.seeMembers}</a>
      </div>
    </>
  );
}

function Plan({ trace, state }: Parameters<Content>[0]): ReactElement {
  const { plans } = trace;
  if (!plans) return <p>{tools.access.notShown}</p>;
  const isAnyEnough = plans.enough === null || planNames.every((name) => plans.enough?.includes(name));
  const base = plans.basePlans.map(({ name }) => planName(name)).join(', ') || tools.access.noPlan;
  return (
    <>
      <p>
        {tools.access.onPlan(base, plans.addOns.map(({ name }) => addOnName(name)).join(', '))}{' '}
        {isAnyEnough ? tools.access.anyPlan : tools.access.required(formatChoice((plans.enough ?? []).map(planName)))}
      </p>
      {state === 'blocks' && <PlanControl trace={trace} />}
    </>
  );
}

function Limit({ trace, state }: Parameters<Content>[0]): ReactElement {
  const declared = limitsOf(trace.entitlement);
  if (state === 'hidden') return <p>{tools.access.notShown}</p>;
  if (trace.limits.length === 0) {
    const limits = declared.map(({ plan, max, per }) =>
      tools.access.limitOn(planName(plan), t.organization.perPeriod(String(max), per)),
    );
    return <p>{limits.length > 0 ? tools.access.limitElsewhere(limits.join(', ')) : tools.access.noLimit}</p>;
  }
  return (
    <>
      {trace.limits.map((limit) => (
        <Usage key={limit.key} limit={limit} />
      ))}
      {state === 'blocks' && <PlanControl trace={trace} />}
    </>
  );
}

/** Changes the plan, or leads those who may not to the plans. */
function PlanControl(props: { readonly trace: AccessTrace }): ReactElement {
  const { can } = useAccess(client);
  return (
    <div className="actions">
      <UpgradeButton of={{ check: props.trace }} />
      <a href="/organization/plan">{can('organization:manage') ? tools.access.seePlans : tools.access.askForPlan}</a>
    </div>
  );
}

function Flag({ trace }: LayerProps): ReactElement {
  const flags = Object.entries(trace.flags);
  if (flags.length === 0) return <p>{tools.access.noFlag}</p>;
  return <p>{flags.map(([name, isOn]) => tools.access.flag(name, isOn === true)).join(' ')}</p>;
}

function Rule({ state }: { readonly state: LayerState }): ReactElement {
  return <p>{state === 'blocks' ? tools.access.brokenRule : tools.access.noRule}</p>;
}
