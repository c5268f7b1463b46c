import type { Pages, QueryState } from '@x/client/cache';
import { useQuery } from '@x/client/react';
import { CheckCheck } from 'lucide-react';
import { type ReactElement, type ReactNode, useId, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { chosenOf, Field, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { UpgradeButton } from '../form/upgrade-button.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { Menu } from '../screen/menu.tsx';
import { t } from '../text/text.ts';
import { addTask, isGranted, type Project, type Task, taskPages } from './queries.ts';
import { TaskCard } from './task-card.tsx';
import { priorities } from './task-query.ts';

/**
 * The tasks of a project in two columns; the newest, such as an added one, first. As long as one page has them all, they
 * are one list, so that a change of a task reads one again. Columns of more are counted and paged each by itself.
 */
export function TaskBoard(props: { readonly project: Project }): ReactElement {
  const { project } = props;
  const [isLarge, setLarge] = useState(false);
  const filterOf = (done: boolean) =>
    ({ projectId: project.id, orderBy: 'createdAt:desc', ...(isLarge && { done }) }) as const;
  const open = useQuery(taskPages, filterOf(false));
  const done = useQuery(taskPages, filterOf(true));
  if (!isLarge && open.data && open.data.nextCursor !== null) setLarge(true);
  return (
    <div className="board">
      <TaskColumn
        title={t.tasks.toDo}
        tasks={isLarge ? open : onlyDone(open, false)}
        empty={t.tasks.noneToDo}
        actions={<CompleteAll tasks={open.data?.items ?? []} />}
      >
        {!project.archived && <NewTask project={project} />}
      </TaskColumn>
      <TaskColumn title={t.tasks.done} tasks={isLarge ? done : onlyDone(done, true)} empty={t.tasks.noneDone} />
    </div>
  );
}

/** The tasks of a list that are done, or are not. */
function onlyDone(tasks: QueryState<Pages<Task>>, done: boolean): QueryState<Pages<Task>> {
  if (!tasks.data) return tasks;
  const items = tasks.data.items.filter((task) => task.done === done);
  return { ...tasks, data: { ...tasks.data, items, total: items.length } };
}

/** One line that adds a task after another: Enter adds what was typed, and the focus stays. */
function NewTask(props: { readonly project: Project }): ReactElement {
  const { id: projectId } = props.project;
  const mayCreate = verdictOn('project', props.project, 'project:create-task');
  return (
    <>
      <Form
        label={t.tasks.newTask}
        submit={t.tasks.add}
        className="form line"
        tone="plain"
        clears
        verdict={mayCreate}
        send={({ title = '', priority }) => addTask({ projectId, title, priority: chosenOf(priorities, priority) })}
      >
        <Field label={t.tasks.title} name="title" placeholder={t.tasks.newTask} maxLength={1000} />
        <Select
          label={t.tasks.priority}
          name="priority"
          // Its label is for those who do not see it.
          options={priorityOptions().map(({ value, text }) => ({ value, text: `${t.tasks.priority}: ${text}` }))}
        />
      </Form>
      <UpgradeButton of={mayCreate} />
    </>
  );
}

/** The priorities to choose from. */
export function priorityOptions(): readonly { readonly value: string; readonly text: string }[] {
  return priorities.map((value) => ({ value, text: t.tasks.priorities[value] }));
}

/** Completes what is shown, at most a hundred at once. */
function CompleteAll(props: { readonly tasks: readonly Task[] }): ReactElement | null {
  const ids = props.tasks
    .filter(({ done, __access }) => !done && isGranted(__access['task:update']))
    .slice(0, 100)
    .map(({ id }) => id);
  if (ids.length < 2) return null;
  return (
    <Menu label={t.common.moreFor(t.tasks.toDo)}>
      {(close) => (
        <ActionButton
          send={() => cache.write(() => client.entities.tasks.bulkComplete({ ids }), { touches: ['tasks'] })}
          onSent={() => {
            close();
            announce(t.tasks.completedMany(ids.length));
          }}
        >
          <CheckCheck aria-hidden /> {t.tasks.completeAll}
        </ActionButton>
      )}
    </Menu>
  );
}

function TaskColumn(props: {
  readonly title: string;
  readonly tasks: QueryState<Pages<Task>>;
  readonly empty: string;
  /** Stands beside the heading. */
  readonly actions?: ReactNode;
  /** Stands above the tasks. */
  readonly children?: ReactNode;
}): ReactElement {
  const { title, tasks, empty, actions, children } = props;
  const id = useId();
  return (
    <section aria-labelledby={id} className="column">
      <div className="column-head">
        <h2 id={id}>
          {title} <span className="count">{tasks.data?.total ?? ''}</span>
        </h2>
        {actions}
      </div>
      {children}
      <LoadedPages of={tasks} empty={empty}>
        {(items) => (
          <ul className="stack">
            {items.map((task) => (
              <TaskCard key={task.id} task={task} />
            ))}
          </ul>
        )}
      </LoadedPages>
    </section>
  );
}
