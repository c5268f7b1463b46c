import type { ReactElement } from 'react';
import { client } from '../client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { UpgradeButton } from '../plan/upgrade-button.tsx';
import type { Project } from './projects.ts';
import { saveFile } from './save-file.ts';

/** What can be done with a project as a whole. */
export function ProjectActions(props: { readonly project: Project }): ReactElement {
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
