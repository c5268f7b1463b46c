import { Archive, ArchiveRestore } from 'lucide-react';
import type { ReactElement } from 'react';
import { ActionButton } from '../form/action-button.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { t } from '../text/text.ts';
import { type Project, setArchived } from './queries.ts';

/** Puts the project into the archive, or takes it out; offers to undo that. */
export function ArchiveButton(props: { readonly project: Project; readonly onSent?: () => void }): ReactElement {
  const { project, onSent } = props;
  const { archived } = project;
  const Icon = archived ? ArchiveRestore : Archive;
  return (
    <ActionButton
      verdict={verdictOn('project', project, 'project:update')}
      send={() => setArchived(project, !archived)}
      onSent={() => {
        onSent?.();
        announce(archived ? t.common.changed : t.project.archivedNow, () => void setArchived(project, archived));
      }}
    >
      <Icon aria-hidden /> {archived ? t.project.unarchive : t.project.archive}
    </ActionButton>
  );
}
