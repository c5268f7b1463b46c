import { useQuery } from '@x/client/react';
import { Circle } from 'lucide-react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { useUser } from '../client/queries.ts';
import { withoutRow } from '../client/merge-rows.ts';
import { ActionButton } from '../form/action-button.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { DueDay } from '../screen/due-day.tsx';
import { toErrorText } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

/** The open tasks of a person. */
export const assignedTasks = cache.pages(['tasks', 'projects', 'members'], (assigneeId: string, after, options) =>
  client.entities.tasks.list(
    {
      where: { assigneeId, done: false },
      orderBy: 'dueAt',
      include: ['project'],
      limit: 10,
      ...(after !== null && { after }),
    },
    options,
  ),
);

/** An open task. */
export type AssignedTask = NonNullable<
  ReturnType<ReturnType<typeof assignedTasks.at>['getSnapshot']>['data']
>['items'][number];

/** The open tasks of the user, the most urgent first, which can be completed here. */
export function MyTasks(): ReactElement {
  const { id } = useUser();
  return (
    <section aria-labelledby="my-tasks" className="card">
      <h2 id="my-tasks">{t.home.myTasks}</h2>
      <LoadedPages
        of={useQuery(assignedTasks, id)}
        empty={
          <>
            {t.home.noTasks} <a href="/projects">{t.home.toProjects}</a>
          </>
        }
      >
        {(tasks) => (
          <ul className="rows">
            {tasks.map((task) => (
              <TaskRow key={task.id} task={task} />
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}

function TaskRow({ task }: { readonly task: AssignedTask }): ReactElement {
  return (
    <li className="task-row">
      <ActionButton
        className="quiet mark"
        label={t.tasks.completeLabel(task.title)}
        verdict={verdictOn('task', task, 'task:update')}
        isTerse
        send={() => complete(task)}
      >
        <Circle aria-hidden />
      </ActionButton>
      <span className="grow">
        <a href={`/projects/${task.projectId}?task=${task.id}`} className="plain clamp">
          {task.title}
        </a>
        <span className="facts">
          <span className="hint clip">{task.project?.name}</span>
          {task.priority !== 'normal' && (
            <span className={`tag ${task.priority}`}>{t.tasks.priorities[task.priority]}</span>
          )}
          {task.dueAt !== null && <DueDay at={task.dueAt} />}
        </span>
      </span>
    </li>
  );
}

/** The row leaves at once, and has no place for an error when it comes back. */
async function complete({ id, title }: AssignedTask) {
  const setDone = (done: boolean) =>
    cache.write(() => client.entities.tasks.update(id, { done }), {
      touches: ['tasks'],
      change: () => [assignedTasks.change((pages) => (done ? (withoutRow(pages, id) ?? pages) : pages))],
      merge: () => (done ? [assignedTasks.merge((pages) => withoutRow(pages, id))] : []),
    });
  const result = await setDone(true);
  if (result.ok) announce(t.tasks.completed(title), () => void setDone(false));
  else announce(toErrorText(result.error));
  return result;
}
