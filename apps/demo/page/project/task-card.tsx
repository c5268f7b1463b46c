import { Circle, CircleCheck, Trash2, UserRoundMinus, UserRoundPlus } from 'lucide-react';
import type { ReactElement } from 'react';
import { useNames, useUser } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { verdictOn } from '../form/verdict.tsx';
import { announce } from '../screen/announce.tsx';
import { DueDay } from '../screen/due-day.tsx';
import { Menu } from '../screen/menu.tsx';
import { t } from '../text/text.ts';
import { assign, deleteTask, setDone, type Task } from './queries.ts';

/** A task on the board: completed by its mark, opened by its title. */
export function TaskCard(props: { readonly task: Task }): ReactElement {
  const { task } = props;
  const { id, title, done, projectId } = task;
  const Icon = done ? CircleCheck : Circle;
  return (
    <li className="card task">
      <ActionButton
        label={done ? t.tasks.reopenLabel(title) : t.tasks.completeLabel(title)}
        className={done ? 'quiet mark done' : 'quiet mark'}
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
        <Facts task={task} />
      </div>
      <CardMenu task={task} />
    </li>
  );
}

/** What is unusual about the task: a priority, a day, somebody who does it. */
function Facts(props: { readonly task: Task }): ReactElement {
  const { priority, assigneeId, dueAt, done } = props.task;
  const nameOf = useNames();
  const assignee = assigneeId === null ? undefined : (nameOf(assigneeId) ?? t.common.somebody);
  return (
    <span className="facts">
      {priority !== 'normal' && <span className={`tag ${priority}`}>{t.tasks.priorities[priority]}</span>}
      {dueAt !== null && <DueDay at={dueAt} isDone={done} />}
      {assignee !== undefined && (
        <span className="hint clip" title={assignee}>
          {assignee}
        </span>
      )}
    </span>
  );
}

function CardMenu(props: { readonly task: Task }): ReactElement {
  const { task } = props;
  const { title, assigneeId } = task;
  const user = useUser();
  const isMine = assigneeId === user.id;
  const Icon = isMine ? UserRoundMinus : UserRoundPlus;
  return (
    <Menu label={t.common.moreFor(title)}>
      {(close) => (
        <>
          <ActionButton
            verdict={verdictOn('task', task, 'task:update')}
            send={() => assign(task, isMine ? null : user.id)}
            onSent={close}
          >
            <Icon aria-hidden /> {isMine ? t.tasks.unassign : t.tasks.assignToMe}
          </ActionButton>
          <DeleteTaskButton task={task} />
        </>
      )}
    </Menu>
  );
}

/** Deletes a task, once that is confirmed. */
export function DeleteTaskButton(props: { readonly task: Task; readonly onDeleted?: () => void }): ReactElement {
  const { task, onDeleted } = props;
  const { title } = task;
  return (
    <ConfirmButton
      title={t.tasks.deleteLabel(title)}
      body={t.tasks.deleteBody}
      submit={t.common.delete}
      verdict={verdictOn('task', task, 'task:delete')}
      send={() => deleteTask(task, onDeleted)}
      onSent={() => announce(t.tasks.deleted(title))}
    >
      <Trash2 aria-hidden /> {t.common.delete}
    </ConfirmButton>
  );
}
