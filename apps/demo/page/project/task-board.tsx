import type { Pages, QueryState } from '@x/client/cache';
import { useQuery } from '@x/client/cache';
import { Check, RotateCcw, Trash2 } from 'lucide-react';
import { type ReactElement, type ReactNode, useId } from 'react';
import { cache, client } from '../client/client.ts';
import { useNames } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { chosenOf, Field, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { UpgradeButton } from '../form/upgrade-button.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { DueDay } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import { deleteTask, isGranted, priorities, type Project, setDone, type Task, taskPages } from './queries.ts';

/** The tasks of a project in two columns, each counted and paged by itself, with a form for a new one. */
export function TaskBoard(props: { readonly project: Project }): ReactElement {
  const { project } = props;
  const filter = { projectId: project.id, orderBy: 'createdAt:asc' } as const;
  const open = useQuery(taskPages, { ...filter, done: false });
  const done = useQuery(taskPages, { ...filter, done: true });
  return (
    <>
      {!project.archived && <NewTask project={project} />}
      <div className="board">
        <TaskColumn title={t.tasks.toDo} tasks={open} empty={t.tasks.noneToDo}>
          <CompleteAll tasks={open.data?.items ?? []} />
        </TaskColumn>
        <TaskColumn title={t.tasks.done} tasks={done} empty={t.tasks.noneDone} />
      </div>
    </>
  );
}

function NewTask(props: { readonly project: Project }): ReactElement {
  const { id: projectId } = props.project;
  const mayCreate = verdictOn('project', props.project, 'project:create-task');
  return (
    <section aria-label={t.tasks.newTask} className="card">
      <Form
        label={t.tasks.newTask}
        submit={t.tasks.add}
        className="form row"
        clears
        verdict={mayCreate}
        send={({ title = '', priority }) =>
          cache.write(
            () => client.entities.tasks.create({ projectId, title, priority: chosenOf(priorities, priority) }),
            { touches: ['tasks', 'plan'] },
          )
        }
      >
        <Field label={t.tasks.title} name="title" autoComplete="off" maxLength={1000} />
        <Select label={t.tasks.priority} name="priority" options={priorityOptions()} />
      </Form>
      <UpgradeButton of={mayCreate} />
    </section>
  );
}

/** The priorities to choose from. */
export function priorityOptions(): readonly { readonly value: string; readonly text: string }[] {
  return priorities.map((value) => ({ value, text: t.tasks.priorities[value] }));
}

/** Completes what is shown, at most a hundred at once. */
function CompleteAll(props: { readonly tasks: readonly Task[] }): ReactElement | null {
  const ids = props.tasks
    .filter(({ __access }) => isGranted(__access['task:update']))
    .slice(0, 100)
    .map(({ id }) => id);
  if (ids.length < 2) return null;
  return (
    <div>
      <ActionButton
        send={() => cache.write(() => client.entities.tasks.bulkComplete({ ids }), { touches: ['tasks'] })}
        onSent={() => announce(t.tasks.completedMany(ids.length))}
      >
        {t.tasks.completeAll}
      </ActionButton>
    </div>
  );
}

function TaskColumn(props: {
  readonly title: string;
  readonly tasks: QueryState<Pages<Task>>;
  readonly empty: string;
  readonly children?: ReactNode;
}): ReactElement {
  const { title, tasks, empty, children } = props;
  const id = useId();
  return (
    <section aria-labelledby={id} className="column">
      <h2 id={id}>
        {title} <span className="count">{tasks.data?.total ?? ''}</span>
      </h2>
      <LoadedPages of={tasks} empty={empty}>
        {(items) => (
          <ul className="stack">
            {items.map((task) => (
              <TaskCard key={task.id} task={task} />
            ))}
          </ul>
        )}
      </LoadedPages>
      {children}
    </section>
  );
}

function TaskCard(props: { readonly task: Task }): ReactElement {
  const { task } = props;
  const { id, title, done, priority, assigneeId, dueAt, projectId } = task;
  const nameOf = useNames();
  const assignee = assigneeId === null ? undefined : (nameOf(assigneeId) ?? t.common.somebody);
  const Icon = done ? RotateCcw : Check;
  return (
    <li className="card task">
      <ActionButton
        label={done ? t.tasks.reopenLabel(title) : t.tasks.completeLabel(title)}
        className="quiet mark"
        isTerse
        verdict={verdictOn('task', task, 'task:update')}
        send={() => setDone(task, !done)}
        onSent={() =>
          announce(done ? t.tasks.reopened(title) : t.tasks.completed(title), () => void setDone(task, done))
        }
      >
        <Icon aria-hidden />
      </ActionButton>
      <div className="grow stack tight">
        <a href={`/projects/${projectId}?task=${id}`} className={done ? 'plain clamp done' : 'plain clamp'}>
          {title}
        </a>
        <span className="facts">
          {priority !== 'normal' && <span className={`tag ${priority}`}>{t.tasks.priorities[priority]}</span>}
          {dueAt !== null && <DueDay at={dueAt} />}
          {assignee !== undefined && (
            <span className="hint clip" title={assignee}>
              {assignee}
            </span>
          )}
        </span>
      </div>
      <ConfirmButton
        title={t.tasks.deleteLabel(title)}
        body={t.tasks.deleteBody}
        submit={t.common.delete}
        label={t.tasks.deleteLabel(title)}
        className="danger quiet"
        isTerse
        verdict={verdictOn('task', task, 'task:delete')}
        send={() => deleteTask(task)}
        onSent={() => announce(t.tasks.deleted(title))}
      >
        <Trash2 aria-hidden />
      </ConfirmButton>
    </li>
  );
}
