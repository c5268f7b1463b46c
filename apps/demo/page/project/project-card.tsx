import type { ReactElement } from 'react';
import { denied } from '../access/use-access.ts';
import { ActionButton } from '../form/action-button.tsx';
import { tellChange } from '../load/changes.ts';
import { deleteProject, type Project } from './projects.ts';

/** One project among others. */
export function ProjectCard(props: { readonly project: Project }): ReactElement {
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
          check={__access?.['project:delete'] ?? denied}
          send={() => deleteProject(id)}
          onSent={() => tellChange('projects', 'plan', 'access')}
        >
          Delete
        </ActionButton>
      </p>
    </li>
  );
}
