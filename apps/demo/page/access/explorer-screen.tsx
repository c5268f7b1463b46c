import type { AccessTrace } from '@x/access';
import { type ReactElement, type ReactNode, useState } from 'react';
import type { definition } from '../../src/access/definition.ts';
import { client } from '../client/client.ts';
import { Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { UsageBar } from '../organization/plan.tsx';
import { useProjects, useTasks } from '../project/records.ts';
import { Screen } from '../screen/screen.tsx';
import { toDenialText } from '../screen/wording.tsx';

/** Shows why something is allowed or not: which role by which path, which plan, what is left of a limit. */
export function ExplorerScreen(props: { readonly organizationId: string }): ReactElement {
  const [trace, setTrace] = useState<AccessTrace | null>(null);
  const resources = useResources(props.organizationId);
  const names = new Map(resources.map(({ value, text }) => [value, text]));
  return (
    <Screen title="Access explorer">
      <p>Choose an action and a resource: the answer shows how the server decides.</p>
      <section aria-label="Question" className="card">
        <Form
          label="Question"
          submit="Explain"
          className="form row"
          send={({ entitlement, resource = '' }) => explain(entitlement, resource)}
          onSent={setTrace}
        >
          <Select label="Entitlement" name="entitlement" options={entitlements} />
          <Select label="Resource" name="resource" options={resources} />
        </Form>
      </section>
      <div aria-live="polite">
        {trace && <TraceFigure trace={trace} nameOf={({ type, id }) => names.get(`${type}:${id}`) ?? type} />}
      </div>
    </Screen>
  );
}

/** The entitlements to choose from. */
const entitlements: readonly (keyof (typeof definition)['entitlements'])[] = [
  'organization:read',
  'organization:manage',
  'organization:invite',
  'organization:create-project',
  'project:read',
  'project:update',
  'project:delete',
  'project:create-task',
  'project:export',
  'task:read',
  'task:update',
  'task:delete',
  'report:read',
];

/** The resources to choose from: the organization, its projects, and their tasks. */
function useResources(organizationId: string): readonly { readonly value: string; readonly text: string }[] {
  const { items: projects } = useProjects(organizationId);
  const { items: tasks } = useTasks();
  return [
    { value: `organization:${organizationId}`, text: 'the organization' },
    ...projects.map(({ id, name }) => ({ value: `project:${id}`, text: `project ${name}` })),
    ...tasks.map(({ id, title }) => ({ value: `task:${id}`, text: `task ${title}` })),
  ];
}

function explain(entitlement = '', resource: string): ReturnType<typeof client.request<AccessTrace>> {
  const [type, id] = resource.split(':');
  return client.request('/api/access/explain', { method: 'POST', body: { entitlement, resource: { type, id } } });
}

/** Returns the name of a resource that the user knows. */
type NameOf = (resource: { readonly type: string; readonly id: string }) => string;

/** Draws the decision: the path of each role from where it was given down to the resource, then plan and limits. */
function TraceFigure(props: { readonly trace: AccessTrace; readonly nameOf: NameOf }): ReactElement {
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
