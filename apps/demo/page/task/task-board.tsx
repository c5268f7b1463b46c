import type { ReactElement } from 'react';
import { denied } from '../access/use-access.ts';
import { ActionButton } from '../form/action-button.tsx';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { Select } from '../form/select.tsx';
import { tellChange } from '../load/changes.ts';
import { Show } from '../load/show.tsx';
import { UpgradeButton } from '../plan/upgrade-button.tsx';
import type { Project } from '../project/projects.ts';
import { TaskColumn } from './task-column.tsx';
import { completeTasks, createTask, useTasks } from './tasks.ts';

/** The tasks of a project: what is to be done, and what is done. */
export function TaskBoard(props: { readonly project: Project }): ReactElement {
  const { id: projectId, __access } = props.project;
  const tasks = useTasks(projectId);
  const mayCreate = __access?.['project:create-task'] ?? denied;
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
          send={({ title, priority }) => createTask({ projectId, title, priority })}
          onSent={() => tellChange('tasks', 'plan', 'access')}
        >
          <Field label="Title" name="title" autoComplete="off" />
          <Select label="Priority" name="priority" options={priorities} defaultValue="normal" />
        </Form>
        <UpgradeButton of={mayCreate} />
      </section>
      <Show of={tasks}>
        {({ items }) => {
          const open = items.filter(({ done }) => !done);
          return (
            <div className="board">
              <TaskColumn title="To do" tasks={open}>
                {open.length > 1 && (
                  <ActionButton
                    check={open[0]?.__access?.['task:update'] ?? denied}
                    send={() => completeTasks(open.map(({ id }) => id))}
                    onSent={() => tellChange('tasks')}
                  >
                    Complete all
                  </ActionButton>
                )}
              </TaskColumn>
              <TaskColumn title="Done" tasks={items.filter(({ done }) => done)} />
            </div>
          );
        }}
      </Show>
    </>
  );
}

const priorities = ['low', 'normal', 'high'].map((priority) => ({ value: priority, text: priority }));
