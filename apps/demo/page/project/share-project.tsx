import { type ReactElement, useState } from 'react';
import { client } from '../client.ts';
import { EmailField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { chosenOf, Select } from '../form/select.tsx';
import type { Project } from './projects.ts';

/** Lets somebody from elsewhere into a project, by their address. */
export function ShareProject(props: { readonly project: Project }): ReactElement {
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
