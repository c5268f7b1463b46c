import type { AccessTrace } from '@x/access';
import type { ReactElement, ReactNode } from 'react';
import { Usage } from '../organization/usage.tsx';
import { formatChoice, toDenialText } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import type { NameOf } from './resource-select.tsx';
import type { Entitlement } from '../form/verdict.tsx';
import { UpgradeButton } from '../form/upgrade-button.tsx';

/**
 * Draws the decision layer by layer: roles with their paths, plan, limits, flags. A layer that denies has a button that
 * changes it.
 */
export function TraceFigure(props: { readonly trace: AccessTrace; readonly nameOf: NameOf }): ReactElement {
  const { trace, nameOf } = props;
  const { allowed, entitlement, rolePaths, plans, limits, flags, reasons } = trace;
  const misses = (...codes: readonly string[]): boolean => reasons.some((reason) => codes.includes(reason));
  const upgrade = <UpgradeButton of={{ check: trace, entitlement: entitlement as Entitlement, resource: '' }} />;
  return (
    <figure className="trace">
      <figcaption>
        <strong className={allowed ? 'tag' : 'tag bad'}>{allowed ? t.access.allowed : t.access.denied}</strong>{' '}
        {entitlement}
        {trace.resource && t.access.on(nameOf(trace.resource))}. {toDenialText(trace)}
      </figcaption>
      <ol className="layers">
        <Layer title={t.access.layers.roles} isMet={!misses('role_required', 'hierarchy_denied', 'not_authenticated')}>
          {rolePaths.length === 0 && <p>{t.access.noRole}</p>}
          {rolePaths.map((path) => (
            <RolePath key={JSON.stringify(path.steps)} path={path} nameOf={nameOf} />
          ))}
          {misses('role_required', 'hierarchy_denied') && (
            <p>
              {t.access.askRole} <a href="/organization/members">{t.access.seeMembers}</a>
            </p>
          )}
        </Layer>
        {plans && (
          <Layer title={t.access.layers.plan} isMet={!misses('plan_required')}>
            <p>
              {t.access.onPlan(
                plans.basePlans.map(({ name }) => name).join(', ') || t.access.noPlan,
                plans.addOns.map(({ name }) => name).join(', '),
              )}{' '}
              {plans.enough ? t.access.required(formatChoice(plans.enough)) : t.access.anyPlan}
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
  return (
    <li className={isMet ? 'card layer' : 'card layer blocked'}>
      <h2>
        {title} <span className={isMet ? 'tag' : 'tag bad'}>{isMet ? t.access.passes : t.access.inTheWay}</span>
      </h2>
      {children}
    </li>
  );
}

/** One path of a role, step by step. */
function RolePath(props: { readonly path: AccessTrace['rolePaths'][number]; readonly nameOf: NameOf }): ReactElement {
  const { path, nameOf } = props;
  return (
    <ol className={path.isEnough ? 'path enough' : 'path'}>
      <li>{t.common.you}</li>
      {path.steps.map(({ resource, role }) => (
        <li key={`${resource.type}:${resource.id}`}>
          <strong>{role}</strong>
          {t.access.roleOf(nameOf(resource))}
        </li>
      ))}
      <li className="end">{path.isEnough ? t.access.enough : t.access.notEnough}</li>
    </ol>
  );
}
