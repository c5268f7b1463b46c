import { Download, Upload } from 'lucide-react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { DialogButton } from '../form/dialog-button.tsx';
import { UpgradeButton } from '../form/upgrade-button.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { lazily } from '../frame/lazily.tsx';
import { OnDemand } from '../frame/on-demand.tsx';
import { announce } from '../screen/announce.tsx';
import { Menu } from '../screen/menu.tsx';
import { saveFile } from '../screen/save-file.ts';
import { t } from '../text/text.ts';
import { ArchiveButton } from './archive-button.tsx';
import type { Project } from './queries.ts';

const ImportTasks = lazily(() => import('./import-tasks.tsx'));

/** Exports the tasks of the project, imports some, or archives it. What is denied says why, and what it costs. */
export function ProjectMenu(props: { readonly project: Project }): ReactElement {
  const { project } = props;
  const { id, name, archived } = project;
  const mayExport = verdictOn('project', project, 'project:export');
  return (
    <Menu label={t.common.moreFor(name)} className="">
      {(close) => (
        <>
          <ActionButton
            verdict={mayExport}
            send={() => cache.write(() => client.entities.projects.export(id), { touches: ['plan'] })}
            onSent={(csv) => {
              close();
              saveFile(`${name}.csv`, new Blob([String(csv)], { type: 'text/csv' }));
              announce(t.project.exported);
            }}
          >
            <Download aria-hidden /> {t.project.export}
          </ActionButton>
          <UpgradeButton of={mayExport} />
          {!archived && (
            <DialogButton
              title={t.project.import}
              verdict={verdictOn('project', project, 'project:create-task')}
              content={() => (
                <OnDemand lines={3}>
                  <ImportTasks project={project} />
                </OnDemand>
              )}
            >
              <Upload aria-hidden /> {t.project.import}
            </DialogButton>
          )}
          <ArchiveButton project={project} onSent={close} />
        </>
      )}
    </Menu>
  );
}
