import type { AccessTrace } from '@x/access';
import type { ReactElement, ReactNode } from 'react';
import { UsageBar } from '../plan/usage-bar.tsx';
import { toDenialText } from './denial-text.ts';

/** Names a resource as people know it. */
export type NameOf = (resource: { readonly type: string; readonly id: string }) => string;

/** Draws what decided: the path of each role from where it was given down to the resource, then plan and limits. */
export function TraceFigure(props: { readonly trace: AccessTrace; readonly nameOf: NameOf }): ReactElement {
  const { trace, nameOf } = props;
  const { allowed, entitlement, rolePaths, plans, limits, reasons } = trace;
  const misses = (...codes: readonly string[]): boolean => reasons.some((reason) => codes.includes(reason));
  return (
    <figure className="trace">
      <figcaption>
        <strong className={allowed ? 'tag' : 'tag bad'}>{allowed ? 'Allowed' : 'Denied'}</strong> {entitlement}
        {trace.resource && ` on ${nameOf(trace.resource)}`}. {toDenialText(trace)}
      </figcaption>
      <Layer title="Roles" isMet={!misses('role_required', 'hierarchy_denied', 'not_authenticated')}>
        {rolePaths.length === 0 && <p>You have no role that reaches it.</p>}
        {rolePaths.map((path) => (
          <RolePath key={JSON.stringify(path.steps)} path={path} nameOf={nameOf} />
        ))}
      </Layer>
      {plans && (
        <Layer title="Plan" isMet={!misses('plan_required')}>
          <p>
            On {plans.basePlans.map(({ name }) => name).join(', ') || 'no plan'}
            {plans.addOns.length > 0 && ` with ${plans.addOns.map(({ name }) => name).join(', ')}`}.{' '}
            {plans.enough ? `Required: ${alternatives.format(plans.enough)}.` : 'Any plan is enough.'}
          </p>
        </Layer>
      )}
      {limits.length > 0 && (
        <Layer title="Limits" isMet={!misses('limit_reached')}>
          {limits.map((limit) => (
            <UsageBar key={limit.key} limit={limit} />
          ))}
        </Layer>
      )}
    </figure>
  );
}

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });

function Layer(props: { readonly title: string; readonly isMet: boolean; readonly children: ReactNode }): ReactElement {
  const { title, isMet, children } = props;
  return (
    <section className="card" aria-label={title}>
      <h2>
        {title} <span className={isMet ? 'tag' : 'tag bad'}>{isMet ? 'passes' : 'in the way'}</span>
      </h2>
      {children}
    </section>
  );
}

/** One path of a role, step by step. */
function RolePath(props: { readonly path: AccessTrace['rolePaths'][number]; readonly nameOf: NameOf }): ReactElement {
  const { path, nameOf } = props;
  return (
    <ol className={path.isEnough ? 'path enough' : 'path'}>
      <li>You</li>
      {path.steps.map(({ resource, role }) => (
        <li key={`${resource.type}:${resource.id}`}>
          <strong>{role}</strong> of {nameOf(resource)}
        </li>
      ))}
      <li className="end">{path.isEnough ? 'is enough' : 'is not enough'}</li>
    </ol>
  );
}
