import { type ReactElement, useState } from 'react';
import { client } from '../client/client.ts';
import { Show } from '../client/load.tsx';
import { ActionButton } from '../form/action-button.tsx';
import { chosenOf, EmailField, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { UpgradeButton } from '../organization/plan.tsx';
import { Screen } from '../screen/screen.tsx';
import { type Project, useProject } from './records.ts';
import { TaskBoard } from './task-board.tsx';

/** One project with its tasks. */
export function ProjectScreen(props: { readonly id: string }): ReactElement {
  const project = useProject(props.id);
  return (
    <Screen title={project.value?.name ?? 'Project'}>
      <p>
        <a href="#/">All projects</a>
      </p>
      <Show of={project}>
        {(shown) => (
          <>
            {shown.description && <p>{shown.description}</p>}
            <ProjectActions project={shown} />
            <TaskBoard project={shown} />
            <ShareProject project={shown} />
          </>
        )}
      </Show>
    </Screen>
  );
}

/** Archives or exports the project. */
function ProjectActions(props: { readonly project: Project }): ReactElement {
  const { id, name, archived, __access } = props.project;
  const mayExport = __access['project:export'];
  return (
    <p className="actions">
      {archived ? (
        <span className="tag">Archived</span>
      ) : (
        <ActionButton check={__access['project:update']} send={() => client.entities.projects.archive(id)}>
          Archive
        </ActionButton>
      )}
      <ActionButton
        check={mayExport}
        send={() => client.entities.projects.export(id)}
        onSent={(csv) => saveFile(`${name}.csv`, String(csv))}
      >
        Export as CSV
      </ActionButton>
      <UpgradeButton of={mayExport} />
    </p>
  );
}

/** Gives somebody a role of the project, by their e-mail address. */
function ShareProject(props: { readonly project: Project }): ReactElement {
  const { id, __access } = props.project;
  const [isShared, setShared] = useState(false);
  return (
    <section aria-labelledby="share" className="card">
      <h2 id="share">Share the project</h2>
      <Form
        label="Share the project"
        submit="Share"
        className="form row"
        tone="plain"
        clears
        check={__access['project:update']}
        send={({ email = '', role }) =>
          client.entities.projects.share(id, { email, role: chosenOf(projectRoles, role) })
        }
        onSent={() => setShared(true)}
      >
        <EmailField autoComplete="off" />
        <Select label="Role" name="role" options={projectRoles} />
      </Form>
      <p role="status">{isShared && 'The role takes effect once the address is verified.'}</p>
    </section>
  );
}

const projectRoles = ['contributor', 'viewer', 'manager'] as const;

/** Makes the browser download a CSV file. */
function saveFile(name: string, csv: string): void {
  const url = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
