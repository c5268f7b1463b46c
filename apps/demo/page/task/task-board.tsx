import type { ReactElement } from 'react';
import { client } from '../client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { chosenOf, Select } from '../form/select.tsx';
import { ShowList } from '../load/show.tsx';
import { UpgradeButton } from '../plan/upgrade-button.tsx';
import type { Project } from '../project/projects.ts';
import { TaskColumn } from './task-column.tsx';
import { useTasks } from './tasks.ts';

/** The tasks of a project: what is to be done, and what is done. */
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
