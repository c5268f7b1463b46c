import type { AccessTrace } from '@x/access';
import { CircleCheck, CircleX } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { useNames } from '../client/queries.ts';
import { Usage } from '../organization/usage.tsx';
import { formatChoice, toDenialText } from '../screen/wording.tsx';
import { entitlementName, planName, roleName } from '../text/names.ts';
import { t } from '../text/text.ts';
import type { NameOf } from './resource-select.tsx';
import type { Entitlement } from '../form/verdict.tsx';
import { UpgradeButton } from '../form/upgrade-button.tsx';

/**
 * Draws the decision layer by layer: roles with their paths, plan, limits, flags. A layer that denies has a button that
 * changes it.
 *
 * @param props.person - another person whom it is about; null for the visitor
 */
export function TraceFigure(props: {
  readonly trace: AccessTrace;
  readonly person: string | null;
  readonly nameOf: NameOf;
}): ReactElement {
  const { trace, person, nameOf } = props;
  const nameOfUser = useNames();
  const who = person === null ? t.common.you : (nameOfUser(person) ?? t.access.userId(person));
  const { allowed, entitlement, rolePaths, plans, limits, flags, reasons } = trace;
  const misses = (...codes: readonly string[]): boolean => reasons.some((reason) => codes.includes(reason));
  const upgrade = <UpgradeButton of={{ check: trace, entitlement: entitlement as Entitlement, resource: '' }} />;
  return (
    <figure className="trace">
      <figcaption>
        <strong className={allowed ? 'tag' : 'tag bad'}>{allowed ? t.access.allowed : t.access.denied}</strong> {who}:{' '}
        {entitlementName(entitlement)}
        {trace.resource && ` · ${nameOf(trace.resource)}`} <code className="hint">{entitlement}</code>
        {!allowed && <p>{toDenialText(trace)}</p>}
      </figcaption>
      <ol className="layers">
        <Layer title={t.access.layers.roles} isMet={!misses('role_required', 'hierarchy_denied', 'not_authenticated')}>
          {rolePaths.length === 0 && <p>{person === null ? t.access.noRole : t.access.noRoleOf(who)}</p>}
          {rolePaths.map((path) => (
            <RolePath key={JSON.stringify(path.steps)} {...{ path, who, nameOf }} />
          ))}
          {misses('role_required', 'hierarchy_denied') && (
            <p>
              {person === null && t.access.askRole} <a href="/organization/members">{t.access.seeMembers}</a>
            </p>
          )}
        </Layer>
        {plans && (
          <Layer title={t.access.layers.plan} isMet={!misses('plan_required')}>
            <p>
              {t.access.onPlan(
                plans.basePlans.map(({ name }) => planName(name)).join(', ') || t.access.noPlan,
                plans.addOns.map(({ name }) => name).join(', '),
              )}{' '}
              {plans.enough ? t.access.required(formatChoice(plans.enough.map(planName))) : t.access.anyPlan}
            </p>
            {misses('plan_required') && <div className="actions">{upgrade}</div>}
          </Layer>
        )}
        {limits.length > 0 && (
          <Layer title={t.access.layers.limits} isMet={!misses('limit_reached')}>
            {limits.map((limit) => (
              <Usage key={limit.key} limit={limit} />
            ))}
            {misses('limit_reached') && <div className="actions">{upgrade}</div>}
          </Layer>
        )}
        {Object.keys(flags).length > 0 && (
          <Layer title={t.access.layers.flags} isMet={!misses('flag_disabled')}>
            {Object.entries(flags).map(([name, isOn]) => (
              <p key={name}>
                {name}: {isOn === true ? t.access.flagOn : t.access.flagOff}
              </p>
            ))}
          </Layer>
        )}
      </ol>
    </figure>
  );
}

function Layer(props: { readonly title: string; readonly isMet: boolean; readonly children: ReactNode }): ReactElement {
  const { title, isMet, children } = props;
  const Icon = isMet ? CircleCheck : CircleX;
  return (
    <li className={isMet ? 'layer' : 'layer blocked'}>
      <Icon aria-hidden className={isMet ? 'good' : 'bad'} />
      <div className="card">
        <h2>
          {title} <span className={isMet ? 'tag' : 'tag bad'}>{isMet ? t.access.passes : t.access.inTheWay}</span>
        </h2>
        {children}
      </div>
    </li>
  );
}

/** One path of a role, step by step. */
function RolePath(props: {
  readonly path: AccessTrace['rolePaths'][number];
  readonly who: string;
  readonly nameOf: NameOf;
}): ReactElement {
  const { path, who, nameOf } = props;
  return (
    <ol className={path.isEnough ? 'path enough' : 'path'}>
      <li>{who}</li>
      {path.steps.map(({ resource, role }) => (
        <li key={`${resource.type}:${resource.id}`}>
          <strong>{roleName(role)}</strong>
          {t.access.roleOf(nameOf(resource))}
        </li>
      ))}
      <li className="end">{path.isEnough ? t.access.enough : t.access.notEnough}</li>
    </ol>
  );
}
