import type { ReactElement } from 'react';
import { denied } from '../access/use-access.ts';
import { ActionButton } from '../form/action-button.tsx';
import { tellChange } from '../load/changes.ts';
import { UpgradeButton } from '../plan/upgrade-button.tsx';
import { downloadExport } from './download-export.ts';
import { actOnProject, type Project } from './projects.ts';

/** What can be done with a project as a whole. */
export function ProjectActions(props: { readonly project: Project }): ReactElement {
  const { id, name, archived, __access } = props.project;
  const mayExport = __access?.['project:export'] ?? denied;
  return (
    <p className="actions">
      {archived ? (
        <span className="tag">Archived</span>
      ) : (
        <ActionButton
          check={__access?.['project:update'] ?? denied}
          send={() => actOnProject(id, 'archive')}
          onSent={() => tellChange('projects')}
        >
          Archive
        </ActionButton>
      )}
      <ActionButton
        check={mayExport}
        send={() => downloadExport(id, name)}
        onSent={() => tellChange('projects', 'plan', 'access')}
      >
        Export as CSV
      </ActionButton>
      <UpgradeButton of={mayExport} />
    </p>
  );
}
