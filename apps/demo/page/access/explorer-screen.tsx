import type { AccessTrace } from '@x/access';
import { type ReactElement, useState } from 'react';
import { client } from '../client.ts';
import { Form } from '../form/form.tsx';
import { Select } from '../form/select.tsx';
import { useProjects } from '../project/projects.ts';
import { Screen } from '../screen/screen.tsx';
import { useTasks } from '../task/tasks.ts';
import { entitlements } from './entitlements.ts';
import { TraceFigure } from './trace-figure.tsx';

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

/** What can be asked about: the organization, its projects, and the tasks of them. */
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
