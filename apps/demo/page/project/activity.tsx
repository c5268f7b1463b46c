import type { Pages } from '@x/client/cache';
import { useQuery } from '@x/client/react';
import { MessageSquare, Pencil, Plus } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { cache, client } from '../client/client.ts';
import { useNames } from '../client/queries.ts';
import { Days, TimeOfDay } from '../screen/days.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { t } from '../text/text.ts';
import { type Project, type Task, taskPages } from './queries.ts';

const commentPages = cache.pages(['comments', 'tasks'], (projectId: string, after, options) =>
  client.entities.comments.list(
    {
      where: { 'task.projectId': projectId },
      orderBy: 'createdAt:desc',
      include: ['task'],
      limit: 100,
      ...(after !== null && { after }),
    },
    options,
  ),
);

type Comment = NonNullable<ReturnType<ReturnType<typeof commentPages.at>['getSnapshot']>['data']>['items'][number];

/** What has happened in a project, day by day, the latest first: which tasks have changed, and who has commented. */
export default function Activity(props: { readonly project: Project }): ReactElement {
  const { id: projectId } = props.project;
  const tasks = useQuery(taskPages, { projectId, orderBy: 'updatedAt:desc' });
  const comments = useQuery(commentPages, projectId);
  const hasMore = [tasks, comments].some(({ data }) => data && data.nextCursor !== null);
  return (
    <section aria-label={t.project.parts.activity} className="card">
      <Loaded of={tasks} lines={6}>
        {(changed) => (
          <Loaded of={comments} lines={0}>
            {(written) => <Timeline changed={changed} written={written} />}
          </Loaded>
        )}
      </Loaded>
      {hasMore && (
        <p>
          <button
            aria-busy={tasks.isLoading || comments.isLoading}
            onClick={() => {
              tasks.loadMore();
              comments.loadMore();
            }}
          >
            {t.common.showMore}
          </button>
        </p>
      )}
    </section>
  );
}

/** Something that has happened. */
interface Happening {
  readonly key: string;
  readonly at: string;
  readonly icon: ReactNode;
  readonly sentence: ReactNode;
}

function Timeline(props: { readonly changed: Pages<Task>; readonly written: Pages<Comment> }): ReactElement {
  const { changed, written } = props;
  const nameOf = useNames();
  const happenings = [
    ...changed.items.map(toChange),
    ...written.items.map((comment) => toComment(comment, nameOf(comment.authorId) ?? t.common.somebody)),
  ].toSorted((a, b) => b.at.localeCompare(a.at));
  if (happenings.length === 0) return <p className="empty">{t.project.noActivity}</p>;
  // Before that, the other list may have what was not read yet.
  const known = [lastOf(changed, 'updatedAt'), lastOf(written, 'createdAt')].toSorted().at(-1) ?? '';
  return (
    <Days of={happenings.filter(({ at }) => at >= known)}>
      {({ key, at, icon, sentence }) => (
        <li key={key} className="happening">
          {icon}
          <div className="grow">{sentence}</div>
          <TimeOfDay at={at} />
        </li>
      )}
    </Days>
  );
}

/** The moment of the last one that was read, where there are more; empty where there are none. */
function lastOf<Name extends string>(pages: Pages<{ readonly [Each in Name]: string }>, name: Name): string {
  return pages.nextCursor === null ? '' : (pages.items.at(-1)?.[name] ?? '');
}

function toChange({ id, projectId, title, createdAt, updatedAt, done }: Task): Happening {
  const isNew = createdAt === updatedAt;
  const Icon = isNew ? Plus : Pencil;
  return {
    key: id,
    at: updatedAt,
    icon: <Icon aria-hidden />,
    sentence: (
      <p>
        <TaskLink id={id} projectId={projectId} title={title} />
        {isNew ? t.project.added : t.project.changed} {done && <span className="tag">{t.tasks.done}</span>}
      </p>
    ),
  };
}

function toComment({ id, taskId, createdAt, body, task }: Comment, author: string): Happening {
  const [before, after] = t.project.commented;
  return {
    key: id,
    at: createdAt,
    icon: <MessageSquare aria-hidden />,
    sentence: (
      <>
        <p>
          {author}
          {before}
          <TaskLink id={taskId} projectId={task?.projectId ?? ''} title={task?.title ?? t.tasks.details} />
          {after}
        </p>
        <p className="hint clamp">{body}</p>
      </>
    ),
  };
}

function TaskLink(props: { readonly id: string; readonly projectId: string; readonly title: string }): ReactElement {
  const { id, projectId, title } = props;
  return (
    <a href={`/projects/${projectId}/activity?task=${id}`} className="plain name clip" title={title}>
      {title}
    </a>
  );
}
