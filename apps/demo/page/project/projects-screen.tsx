import { useAccess } from '@x/client/react';
import type { ReactElement } from 'react';
import { client } from '../client/client.ts';
import { ShowList } from '../client/load.tsx';
import { ActionButton } from '../form/action-button.tsx';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { PlanPanel, UpgradeButton } from '../organization/plan.tsx';
import { Screen } from '../screen/screen.tsx';
import { type Project, useProjects } from './records.ts';

/** The projects of the organization, with a form for a new one, and the plan that limits them. */
export function ProjectsScreen(props: { readonly organizationId: string }): ReactElement {
  const { organizationId } = props;
  const projects = useProjects(organizationId);
  const mayCreate = useAccess(client).check('organization:create-project');
  return (
    <Screen title="Projects">
      <div className="beside">
        <div className="stack">
          <ShowList of={projects}>
            {(items) => (
              <ul className="tiles">
                {items.map((project) => (
                  <ProjectCard key={project.id} project={project} />
                ))}
                {items.length === 0 && <li className="hint">There are no projects yet.</li>}
              </ul>
            )}
          </ShowList>
        </div>
        <div className="stack">
          <section aria-labelledby="new-project" className="card">
            <h2 id="new-project">New project</h2>
            <Form
              label="New project"
              submit="Create the project"
              clears
              check={mayCreate}
              send={({ name = '', description = '' }) =>
                client.entities.projects.create({ organizationId, name, description })
              }
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

function ProjectCard(props: { readonly project: Project }): ReactElement {
  const { id, name, description, archived, __access } = props.project;
  return (
    <li className="card">
      <h2>
        <a href={`#/projects/${id}`}>{name}</a> {archived && <span className="tag">Archived</span>}
      </h2>
      {description && <p>{description}</p>}
      <p className="actions">
        <ActionButton
          label={`Delete ${name}`}
          className="danger"
          check={__access['project:delete']}
          send={() => client.entities.projects.delete(id)}
        >
          Delete
        </ActionButton>
      </p>
    </li>
  );
}
