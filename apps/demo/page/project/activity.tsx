import { useQuery } from '@x/client/cache';
import type { ReactElement } from 'react';
import { LoadedPages } from '../screen/loaded.tsx';
import { Moment } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import { type Project, taskPages } from './queries.ts';

/** The changed tasks of a project, the latest first. */
export default function Activity(props: { readonly project: Project }): ReactElement {
  const { id: projectId } = props.project;
  const changed = useQuery(taskPages, { projectId, orderBy: 'updatedAt:desc' });
  return (
    <section aria-label={t.project.parts.activity} className="card">
      <LoadedPages of={changed} empty={t.project.noActivity}>
        {(tasks) => (
          <ul className="rows">
            {tasks.map(({ id, title, createdAt, updatedAt, done }) => (
              <li key={id}>
                <a href={`/projects/${projectId}/activity?task=${id}`} className="grow plain clamp">
                  {createdAt === updatedAt ? t.project.activityCreated(title) : t.project.activityOf(title)}
                </a>
                {done && <span className="tag">{t.tasks.done}</span>}
                <Moment at={updatedAt} />
              </li>
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}
