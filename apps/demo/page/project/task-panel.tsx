import type { ClientResult } from '@x/client';
import { useQuery } from '@x/client/react';
import { type ReactElement, useState } from 'react';
import { client } from '../client/client.ts';
import { useNames, usePeople } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { chosenOf, Field, Select, TextArea } from '../form/field.tsx';
import { changesOf, type FieldsVersion, useFollowedFields } from '../form/edited.ts';
import { Form, type FormValues } from '../form/form.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { Dialog } from '../screen/dialog.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { Menu } from '../screen/menu.tsx';
import { discardUnsaved } from '../screen/unsaved.ts';
import { t } from '../text/text.ts';
import { Comments } from './comments.tsx';
import { labelsOf, saveTask, type Task, taskById } from './queries.ts';
import { priorityOptions } from './task-board.tsx';
import { DeleteTaskButton } from './task-card.tsx';
import { priorities } from './task-query.ts';

/** Everything about one task, at the side of the others. */
export default function TaskPanel(props: { readonly id: string; readonly onClose: () => void }): ReactElement {
  const { id, onClose: close } = props;
  const task = useQuery(taskById, id);
  const onDeleted = (): void => {
    discardUnsaved();
    close();
  };
  return (
    <Dialog
      title={t.tasks.details}
      side
      onClose={close}
      actions={
        task.data && (
          <Menu label={t.common.moreFor(task.data.task.title)}>
            {() => task.data && <DeleteTaskButton task={task.data.task} onDeleted={onDeleted} />}
          </Menu>
        )
      }
    >
      <Loaded of={task} lines={6}>
        {(shown) => (
          <>
            <TaskForm {...shown} />
            <Comments taskId={id} />
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

/**
 * Changes what the user has touched, and shows what other people change of the rest. Where another user was faster, the
 * user decides.
 */
function TaskForm(props: Version): ReactElement {
  const { task } = props;
  const { shown, touched, onTyped, take } = useFollowedFields(toFields(props));
  const [conflict, setConflict] = useState<Partial<FormValues> | null>(null);
  const save = async (changes: Partial<FormValues>, version: string) => {
    const result = await saveTask(task.id, toWritten(changes), version);
    if (!result.ok) return result;
    take(toFields({ task: { ...task, ...result.data }, etag: result.etag }));
    setConflict(null);
    announce(t.common.changed);
    return result;
  };
  return (
    <>
      <Form
        label={t.tasks.details}
        submit={t.common.save}
        tone={touched.size > 0 ? 'primary' : 'plain'}
        untouched={Object.fromEntries(Object.entries(shown.values).filter(([name]) => !touched.has(name)))}
        onTyped={onTyped}
        // A role can change while the panel is open, without another version of the task.
        verdict={verdictOn('task', task, 'task:update')}
        send={async (values) => {
          const changes = changesOf(values, shown.values);
          const result = await save(changes, shown.etag);
          if (!result.ok && result.error.code === 'PRECONDITION_FAILED') setConflict(changes);
          return result;
        }}
      >
        <TaskFields values={shown.values} />
      </Form>
      {conflict && (
        <Conflict
          taskId={task.id}
          onMine={(theirs) => save(conflict, theirs.etag)}
          onTheirs={(theirs) => {
            take(toFields(theirs));
            setConflict(null);
          }}
          onClose={() => setConflict(null)}
        />
      )}
    </>
  );
}

/** What the fields show of a version, as text. */
function toFields({ task, etag }: Version): FieldsVersion {
  const { title, done, priority, assigneeId, dueAt, estimate, labels } = task;
  const values = {
    title,
    done: String(done),
    priority,
    assigneeId: assigneeId ?? '',
    dueAt: dueAt === null ? '' : toLocalDay(dueAt),
    estimate: estimate ?? '',
    labels: labelsOf(labels).join(', '),
  };
  return { values, etag };
}

/** Asks which version shall stay. */
function Conflict(props: {
  readonly taskId: string;
  readonly onMine: (theirs: Version) => Promise<ClientResult<unknown>>;
  readonly onTheirs: (theirs: Version) => void;
  readonly onClose: () => void;
}): ReactElement {
  const { taskId, onMine, onTheirs, onClose } = props;
  const readTheirs = async (): Promise<ClientResult<Version>> => {
    const found = await client.entities.tasks.get(taskId, {});
    if (!found.ok) return found;
    const data = { task: found.data, etag: found.etag };
    return { ok: true, value: data, data };
  };
  return (
    <Dialog title={t.tasks.conflict} onClose={onClose}>
      <p>{t.tasks.conflictBody}</p>
      <Form
        label={t.tasks.conflict}
        submit={t.tasks.mine}
        send={async () => {
          const theirs = await readTheirs();
          return theirs.ok ? onMine(theirs.data) : theirs;
        }}
      />
      <ActionButton send={readTheirs} onSent={onTheirs}>
        {t.tasks.theirs}
      </ActionButton>
    </Dialog>
  );
}

function TaskFields(props: { readonly values: FormValues }): ReactElement {
  const { title, done, priority, assigneeId = '', dueAt, estimate, labels } = props.values;
  return (
    <>
      <TextArea
        label={t.tasks.title}
        name="title"
        className="title-field"
        rows={1}
        defaultValue={title}
        // It arrives after the dialog, which would have the focus stay on its button that closes it.
        autoFocus
        required
        maxLength={1000}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      <div className="pair">
        <Select
          label={t.tasks.status}
          name="done"
          defaultValue={done}
          options={[
            { value: 'false', text: t.tasks.toDo },
            { value: 'true', text: t.tasks.done },
          ]}
        />
        <Select label={t.tasks.priority} name="priority" defaultValue={priority} options={priorityOptions()} />
      </div>
      <AssigneeSelect assigneeId={assigneeId} />
      <div className="pair">
        <Field label={t.tasks.due} name="dueAt" type="date" required={false} defaultValue={dueAt} />
        <Field label={t.tasks.estimate} name="estimate" inputMode="decimal" required={false} defaultValue={estimate} />
      </div>
      <Field label={t.tasks.labels} name="labels" hint={t.tasks.labelsHint} required={false} defaultValue={labels} />
    </>
  );
}

/** The assignee of the task; a user who has left stays until another one is chosen. */
function AssigneeSelect(props: { readonly assigneeId: string }): ReactElement {
  const { assigneeId } = props;
  const people = usePeople();
  const nameOf = useNames();
  const others = assigneeId !== '' && !people.some(({ userId }) => userId === assigneeId) ? [assigneeId] : [];
  return (
    <Select
      key={people.length}
      label={t.tasks.assignee}
      name="assigneeId"
      defaultValue={assigneeId}
      options={[
        { value: '', text: t.tasks.unassigned },
        ...people.map(({ userId, email }) => ({ value: userId, text: email })),
        ...others.map((id) => ({ value: id, text: nameOf(id) ?? t.common.somebody })),
      ]}
    />
  );
}

/** Reads the fields that were changed. */
function toWritten({ title, done, priority, assigneeId, dueAt, estimate, labels }: Partial<FormValues>) {
  return {
    ...(title !== undefined && { title: title.replaceAll(/\s+/g, ' ') }),
    ...(done !== undefined && { done: done === 'true' }),
    ...(priority !== undefined && { priority: chosenOf(priorities, priority) }),
    ...(assigneeId !== undefined && { assigneeId: assigneeId === '' ? null : assigneeId }),
    ...(dueAt !== undefined && { dueAt: dueAt === '' ? null : new Date(`${dueAt}T00:00`).toISOString() }),
    ...(estimate !== undefined && { estimate: estimate === '' ? null : estimate }),
    ...(labels !== undefined && { labels: toLabels(labels) }),
  };
}

function toLabels(text: string): readonly string[] {
  return text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
}

/** The day of a moment where the user is, as fields for dates have it. */
function toLocalDay(at: string): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
