import type { ReactElement } from 'react';
import { useAccess } from '../access/use-access.ts';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { tellChange } from '../load/changes.ts';
import { Show } from '../load/show.tsx';
import { PlanPanel } from '../plan/plan-panel.tsx';
import { UpgradeButton } from '../plan/upgrade-button.tsx';
import { Screen } from '../screen/screen.tsx';
import { ProjectCard } from './project-card.tsx';
import { createProject, useProjects } from './projects.ts';

/** The projects of the organization that somebody is at work in, and what its plan has left for more. */
export function ProjectsScreen(props: { readonly organizationId: string }): ReactElement {
  const { organizationId } = props;
  const projects = useProjects(organizationId);
  const check = useAccess();
  const mayCreate = check('organization:create-project');
  return (
    <Screen title="Projects">
      <div className="beside">
        <Show of={projects}>
          {({ items }) => (
            <ul className="tiles">
              {items.map((project) => (
                <ProjectCard key={project.id} project={project} />
              ))}
              {items.length === 0 && <li className="hint">There is no project yet.</li>}
            </ul>
          )}
        </Show>
        <div className="stack">
          <section aria-labelledby="new-project" className="card">
            <h2 id="new-project">New project</h2>
            <Form
              label="New project"
              submit="Create the project"
              clears
              check={mayCreate}
              send={({ name, description }) => createProject({ organizationId, name, description })}
              onSent={() => tellChange('projects', 'plan', 'access')}
            >
              <Field label="Name" name="name" autoComplete="off" />
              <Field label="Description" name="description" autoComplete="off" required={false} />
            </Form>
            <UpgradeButton of={mayCreate} />
          </section>
          <PlanPanel organizationId={organizationId} />
        </div>
      </div>
    </Screen>
  );
}
