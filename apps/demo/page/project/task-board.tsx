import { type ReactElement, type ReactNode, useId } from 'react';
import { client } from '../client/client.ts';
import { ShowList } from '../client/load.tsx';
import { ActionButton } from '../form/action-button.tsx';
import { chosenOf, Field, Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { UpgradeButton } from '../organization/plan.tsx';
import { CommentSection } from './comments.tsx';
import { type Project, type Task, useTasks } from './records.ts';

/** The tasks of a project in two columns, with a form for a new one. */
export function TaskBoard(props: { readonly project: Project }): ReactElement {
  const { id: projectId, __access } = props.project;
  const tasks = useTasks(projectId);
  const mayCreate = __access['project:create-task'];
  return (
    <>
      <section aria-labelledby="new-task" className="card">
        <h2 id="new-task">New task</h2>
        <Form
          label="New task"
          submit="Add the task"
          className="form row"
          clears
          check={mayCreate}
          send={({ title = '', priority }) =>
            client.entities.tasks.create({ projectId, title, priority: chosenOf(priorities, priority) })
          }
        >
          <Field label="Title" name="title" autoComplete="off" />
          <Select label="Priority" name="priority" options={priorities} />
        </Form>
        <UpgradeButton of={mayCreate} />
      </section>
      <ShowList of={tasks}>
        {(items) => {
          const open = items.filter(({ done }) => !done);
          const [first, second] = open;
          return (
            <div className="board">
              <TaskColumn title="To do" tasks={open}>
                {first && second && (
                  <ActionButton
                    check={first.__access['task:update']}
                    send={() => client.entities.tasks.bulkComplete({ ids: open.slice(0, 100).map(({ id }) => id) })}
                  >
                    Complete all
                  </ActionButton>
                )}
              </TaskColumn>
              <TaskColumn title="Done" tasks={items.filter(({ done }) => done)} />
            </div>
          );
        }}
      </ShowList>
    </>
  );
}

const priorities = ['normal', 'high', 'low'] as const;

function TaskColumn(props: {
  readonly title: string;
  readonly tasks: readonly Task[];
  readonly children?: ReactNode;
}): ReactElement {
  const { title, tasks, children } = props;
  const id = useId();
  return (
    <section aria-labelledby={id} className="column">
      <h2 id={id}>
        {title} <span className="count">{tasks.length}</span>
      </h2>
      <ul className="stack">
        {tasks.map((task) => (
          <TaskCard key={task.id} task={task} />
        ))}
      </ul>
      {children}
    </section>
  );
}

function TaskCard(props: { readonly task: Task }): ReactElement {
  const { id, title, done, priority, __access } = props.task;
  return (
    <li className="card task">
      <p>
        {title} {priority !== 'normal' && <span className={`tag ${priority}`}>{priority}</span>}
      </p>
      <p className="actions">
        <ActionButton
          label={`${done ? 'Reopen' : 'Complete'} ${title}`}
          check={__access['task:update']}
          send={() => client.entities.tasks.update(id, { done: !done })}
        >
          {done ? 'Reopen' : 'Complete'}
        </ActionButton>
        <ActionButton
          label={`Delete ${title}`}
          className="danger"
          check={__access['task:delete']}
          send={() => client.entities.tasks.delete(id)}
        >
          Delete
        </ActionButton>
      </p>
      <CommentSection taskId={id} />
    </li>
  );
}
