import { Columns3 } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { navigate, withQuery } from '../navigation/location.ts';
import { DueDay } from '../screen/due-day.tsx';
import { Menu } from '../screen/menu.tsx';
import { formatDay, formatMoment } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import { labelsOf, type Task, type TaskOrder } from './queries.ts';

/** The columns that can be chosen; the title is always there. */
const columnNames = ['status', 'priority', 'assignee', 'due', 'estimate', 'labels', 'updated', 'created'] as const;

/** A column beside the title. */
export type ColumnName = (typeof columnNames)[number];

/** Names a person by their id. */
type NameOf = (userId: string | null) => string | undefined;

interface Column {
  /** The field that it can be sorted by. */
  readonly field?: TaskOrder extends `${infer Field}:${string}` ? Field : never;
  readonly cell: (task: Task, nameOf: NameOf) => ReactNode;
}

/** The columns: how they are sorted, and what they show. */
export const columns: Readonly<Record<ColumnName, Column>> = {
  status: {
    field: 'done',
    cell: ({ done }) => (done ? <span className="tag">{t.tasks.done}</span> : t.tasks.toDo),
  },
  priority: {
    cell: ({ priority }) =>
      priority !== 'normal' && <span className={`tag ${priority}`}>{t.tasks.priorities[priority]}</span>,
  },
  assignee: {
    cell: ({ assigneeId }, nameOf) => assigneeId !== null && (nameOf(assigneeId) ?? t.common.somebody),
  },
  due: {
    field: 'dueAt',
    cell: ({ dueAt, done }) => dueAt !== null && <DueDay at={dueAt} isDone={done} isShort />,
  },
  estimate: { field: 'estimate', cell: ({ estimate }) => estimate !== null && Number(estimate) },
  labels: { cell: ({ labels }) => labelsOf(labels).join(', ') },
  updated: { field: 'updatedAt', cell: ({ updatedAt }) => <Day at={updatedAt} /> },
  created: { field: 'createdAt', cell: ({ createdAt }) => <Day at={createdAt} /> },
};

function Day(props: { readonly at: string }): ReactElement {
  return (
    <time dateTime={props.at} title={formatMoment(props.at)} className="hint">
      {formatDay(props.at)}
    </time>
  );
}

const usual: readonly ColumnName[] = ['status', 'priority', 'assignee', 'due', 'updated'];

/** Reads from the address which columns are shown. */
export function readColumns(query: URLSearchParams): readonly ColumnName[] {
  const chosen = query.get('columns')?.split(',');
  return chosen ? columnNames.filter((name) => chosen.includes(name)) : usual;
}

/** Chooses the columns, which the address keeps. */
export function ColumnMenu(props: { readonly shown: readonly ColumnName[] }): ReactElement {
  const { shown } = props;
  const toggle = (name: ColumnName): void => {
    const chosen = columnNames.filter((each) => shown.includes(each) !== (each === name));
    const isUsual = chosen.join() === usual.join();
    navigate(withQuery({ columns: isUsual ? null : ['title', ...chosen].join() }), 'replace');
  };
  return (
    <Menu
      label={t.tasks.columns}
      className=""
      icon={
        <>
          <Columns3 aria-hidden /> {t.tasks.columns}
        </>
      }
    >
      {() =>
        columnNames.map((name) => (
          <label key={name} className="check">
            <input type="checkbox" checked={shown.includes(name)} onChange={() => toggle(name)} />
            {t.tasks[name]}
          </label>
        ))
      }
    </Menu>
  );
}
