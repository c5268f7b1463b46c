import type { ReactElement } from 'react';
import { client } from '../client.ts';
import { ActionButton } from '../form/action-button.tsx';
import type { Project } from './projects.ts';

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
          check={__access['project:delete']}
          send={() => client.entities.projects.delete(id)}
        >
          Delete
        </ActionButton>
      </p>
    </li>
  );
}
