import { useQuery } from '@x/client/cache';
import { type ReactElement, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { useNames, usePeople } from '../client/queries.ts';
import { chosenOf, Field, Select } from '../form/field.tsx';
import { Form, type FormValues } from '../form/form.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { navigate, withQuery } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { Dialog } from '../screen/dialog.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { t } from '../text/text.ts';
import { Comments } from './comments.tsx';
import { labelsOf, type Task, taskById } from './queries.ts';
import { priorityOptions } from './task-board.tsx';
import { priorities } from './task-query.ts';

/** Everything about one task, at the side of the others. */
export default function TaskPanel(props: { readonly id: string; readonly projectId: string }): ReactElement {
  const task = useQuery(taskById, props.id);
  const close = (): void => navigate(withQuery({ task: null }), 'replace');
  return (
    <Dialog title={task.data?.task.title ?? t.tasks.details} side onClose={close}>
      <Loaded of={task} lines={6}>
        {(shown) => (
          <>
            <TaskForm {...shown} />
            <Comments taskId={props.id} />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

/** A task as read, with its version. */
interface Version {
  readonly task: Task;
  readonly etag: string;
}

/** Changes the version of the task that was shown; where another user was faster, the user decides. */
function TaskForm(props: Version): ReactElement {
  const [shown, setShown] = useState<Version>(props);
  const [conflict, setConflict] = useState<FormValues | null>(null);
  const { task, etag } = shown;
  const save = async (values: FormValues) => {
    const result = await saveTask(task.id, values, etag);
    if (!result.ok && result.error.code === 'PRECONDITION_FAILED') setConflict(values);
    else if (result.ok) setShown({ task: { ...task, ...result.data }, etag: result.etag });
    return result;
  };
  /** Reads the task as another user has changed it. */
  const takeTheirs = async (): Promise<Version | null> => {
    const found = await client.entities.tasks.get(task.id, {});
    if (!found.ok) return null;
    const theirs = { task: found.data, etag: found.etag };
    setShown(theirs);
    setConflict(null);
    return theirs;
  };
  return (
    <>
      <Form
        key={etag}
        label={t.tasks.details}
        submit={t.common.save}
        verdict={verdictOn('task', task, 'task:update')}
        send={save}
        onSent={() => announce(t.common.changed)}
      >
        <TaskFields task={task} />
      </Form>
      {conflict && (
        <Dialog title={t.tasks.conflict} onClose={() => setConflict(null)}>
          <p>{t.tasks.conflictBody}</p>
          <Form
            label={t.tasks.conflict}
            submit={t.tasks.mine}
            send={async () => {
              const theirs = await client.entities.tasks.get(task.id, {});
              if (!theirs.ok) return theirs;
              const result = await saveTask(task.id, conflict, theirs.etag);
              if (result.ok) setShown({ task: { ...task, ...result.data }, etag: result.etag });
              return result;
            }}
            onSent={() => {
              setConflict(null);
              announce(t.common.changed);
            }}
          />
          <button type="button" onClick={() => void takeTheirs()}>
            {t.tasks.theirs}
          </button>
        </Dialog>
      )}
    </>
  );
}

function TaskFields(props: { readonly task: Task }): ReactElement {
  const { title, done, priority, assigneeId, dueAt, estimate, labels } = props.task;
  return (
    <>
      <Field label={t.tasks.title} name="title" defaultValue={title} autoComplete="off" maxLength={1000} />
      <div className="pair">
        <Select
          label={t.tasks.status}
          name="done"
          defaultValue={String(done)}
          options={[
            { value: 'false', text: t.tasks.toDo },
            { value: 'true', text: t.tasks.done },
          ]}
        />
        <Select label={t.tasks.priority} name="priority" defaultValue={priority} options={priorityOptions()} />
      </div>
      <AssigneeSelect assigneeId={assigneeId} />
      <div className="pair">
        <Field
          label={t.tasks.due}
          name="dueAt"
          type="date"
          required={false}
          defaultValue={dueAt === null ? '' : toLocalDay(dueAt)}
        />
        <Field
          label={t.tasks.estimate}
          name="estimate"
          inputMode="decimal"
          required={false}
          defaultValue={estimate ?? ''}
        />
      </div>
      <Field
        label={t.tasks.labels}
        name="labels"
        hint={t.tasks.labelsHint}
        required={false}
        defaultValue={labelsOf(labels).join(', ')}
      />
    </>
  );
}

/** The assignee of the task; a user who has left stays until another one is chosen. */
function AssigneeSelect(props: { readonly assigneeId: string | null }): ReactElement {
  const { assigneeId } = props;
  const people = usePeople();
  const nameOf = useNames();
  const others = assigneeId !== null && !people.some(({ userId }) => userId === assigneeId) ? [assigneeId] : [];
  return (
    <Select
      key={people.length}
      label={t.tasks.assignee}
      name="assigneeId"
      defaultValue={assigneeId ?? ''}
      options={[
        { value: '', text: t.tasks.unassigned },
        ...people.map(({ userId, email }) => ({ value: userId, text: email })),
        ...others.map((id) => ({ value: id, text: nameOf(id) ?? t.common.somebody })),
      ]}
    />
  );
}

function saveTask(id: string, values: FormValues, ifMatch: string) {
  const { title = '', done, priority, assigneeId = '', dueAt = '', estimate = '', labels = '' } = values;
  const changes = {
    title,
    done: done === 'true',
    priority: chosenOf(priorities, priority),
    assigneeId: assigneeId === '' ? null : assigneeId,
    dueAt: dueAt === '' ? null : new Date(`${dueAt}T00:00`).toISOString(),
    estimate: estimate === '' ? null : estimate,
    labels: labels
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  };
  return cache.write(() => client.entities.tasks.update(id, changes, { ifMatch }), { touches: ['tasks'] });
}

/** The day of a moment where the user is, as fields for dates have it. */
function toLocalDay(at: string): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
