import type { ReactElement } from 'react';
import { denied } from '../access/use-access.ts';
import { ActionButton } from '../form/action-button.tsx';
import { tellChange } from '../load/changes.ts';
import { deleteTask, type Task, updateTask } from './tasks.ts';
import { CommentList } from '../comment/comment-list.tsx';

/** One task of a board. */
export function TaskCard(props: { readonly task: Task }): ReactElement {
  const { id, title, done, priority, __access } = props.task;
  const changed = (): void => tellChange('tasks');
  return (
    <li className="card task">
      <p>
        {title} {priority !== 'normal' && <span className={`tag ${priority}`}>{priority}</span>}
      </p>
      <p className="actions">
        <ActionButton
          label={`${done ? 'Reopen' : 'Complete'} ${title}`}
          check={__access?.['task:update'] ?? denied}
          send={() => updateTask(id, { done: !done })}
          onSent={changed}
        >
          {done ? 'Reopen' : 'Complete'}
        </ActionButton>
        <ActionButton
          label={`Delete ${title}`}
          className="danger"
          check={__access?.['task:delete'] ?? denied}
          send={() => deleteTask(id)}
          onSent={changed}
        >
          Delete
        </ActionButton>
      </p>
      <CommentList taskId={id} />
    </li>
  );
}
