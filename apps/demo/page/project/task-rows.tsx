import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useNames } from '../client/queries.ts';
import { navigate, withQuery } from '../navigation/location.ts';
import { t } from '../text/text.ts';
import { isGranted, type Task, type TaskOrder } from './queries.ts';
import { type ColumnName, columns } from './task-columns.tsx';

/**
 * Tasks as a table, with boxes to select them where any can be changed. Only the rows in sight are in the document,
 * however many were read, but on paper all are.
 */
export function TaskRows(props: {
  readonly tasks: readonly Task[];
  readonly shown: readonly ColumnName[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly orderBy: TaskOrder;
}): ReactElement {
  const { tasks, shown, selected, onSelect, orderBy } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isPrinted = useIsPrinted();
  const rows = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 45,
    overscan: isPrinted ? tasks.length : 10,
  });
  const items = rows.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  const mayChange = tasks.filter(({ __access }) => isGranted(__access['task:update']));
  const isSelectable = mayChange.length > 0;
  const width = shown.length + (isSelectable ? 2 : 1);
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  return (
    <div ref={scroller} className="table-scroller framed" tabIndex={0} role="region" aria-label={t.project.tableRegion}>
      <table aria-rowcount={tasks.length + 1}>
        <thead>
          <tr>
            {isSelectable && (
              <th scope="col" className="narrow-cell">
                <SelectAll ids={mayChange.map(({ id }) => id)} selected={selected} onSelect={onSelect} />
              </th>
            )}
            <Header text={t.tasks.title} field="title" orderBy={orderBy} />
            {shown.map((name) => (
              <Header key={name} text={t.tasks[name]} field={columns[name].field} orderBy={orderBy} />
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Gap height={before} width={width} />}
          {items.map(({ index }) => {
            const task = tasks[index];
            return (
              task && (
                <Row key={task.id} task={task} shown={shown}>
                  {isSelectable && <SelectTask task={task} isSelected={selected.has(task.id)} onToggle={toggle} />}
                </Row>
              )
            );
          })}
          {after > 0 && <Gap height={after} width={width} />}
        </tbody>
      </table>
    </div>
  );
}

/** Whether the browser is printing the page: it does so with what is there once its event is over. */
function useIsPrinted(): boolean {
  const [isPrinted, setPrinted] = useState(false);
  useEffect(() => {
    const listener = ({ type }: Event): void => flushSync(() => setPrinted(type === 'beforeprint'));
    addEventListener('beforeprint', listener);
    addEventListener('afterprint', listener);
    return () => {
      removeEventListener('beforeprint', listener);
      removeEventListener('afterprint', listener);
    };
  }, []);
  return isPrinted;
}

/** Stands for the rows that are not in the document. */
function Gap(props: { readonly height: number; readonly width: number }): ReactElement {
  return (
    <tr aria-hidden>
      <td colSpan={props.width} style={{ height: props.height, padding: 0 }} />
    </tr>
  );
}

function SelectAll(props: {
  readonly ids: readonly string[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}): ReactElement {
  const { ids, selected, onSelect } = props;
  const box = useRef<HTMLInputElement>(null);
  const isAll = ids.length > 0 && ids.every((id) => selected.has(id));
  useEffect(() => {
    if (box.current) box.current.indeterminate = !isAll && selected.size > 0;
  }, [isAll, selected]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label={t.tasks.selectAll}
      checked={isAll}
      disabled={ids.length === 0}
      onChange={() => onSelect(new Set(isAll ? [] : ids))}
    />
  );
}

/** The heading of a column, which sorts by it where that is possible. */
function Header(props: {
  readonly text: string;
  readonly field: string | undefined;
  readonly orderBy: TaskOrder;
}): ReactElement {
  const { text, field, orderBy } = props;
  if (field === undefined) return <th scope="col">{text}</th>;
  const [sorted, direction] = orderBy.split(':');
  const isSorted = sorted === field;
  const next = isSorted && direction === 'asc' ? 'desc' : 'asc';
  const Icon = direction === 'asc' ? ArrowUp : ArrowDown;
  return (
    <th scope="col" aria-sort={isSorted ? (direction === 'asc' ? 'ascending' : 'descending') : undefined}>
      <button className="quiet" onClick={() => navigate(withQuery({ sort: `${field}:${next}` }), 'replace')}>
        {text} {isSorted && <Icon aria-hidden />}
      </button>
    </th>
  );
}

function SelectTask(props: {
  readonly task: Task;
  readonly isSelected: boolean;
  readonly onToggle: (id: string) => void;
}): ReactElement {
  const { task, isSelected, onToggle } = props;
  const { id, title, __access } = task;
  return (
    <td className="narrow-cell">
      <input
        type="checkbox"
        aria-label={t.tasks.select(title)}
        checked={isSelected}
        disabled={!isGranted(__access['task:update'])}
        onChange={() => onToggle(id)}
      />
    </td>
  );
}

function Row(props: {
  readonly task: Task;
  readonly shown: readonly ColumnName[];
  /** The cell that selects the task, where any can be selected. */
  readonly children: ReactNode;
}): ReactElement {
  const { task, shown, children } = props;
  const { id, title, done } = task;
  const nameOf = useNames();
  return (
    <tr>
      {children}
      <td>
        <a href={withQuery({ task: id })} className={done ? 'plain clip done' : 'plain clip'} title={title}>
          {title}
        </a>
      </td>
      {shown.map((name) => (
        <td key={name} className="clip">
          {columns[name].cell(task, nameOf)}
        </td>
      ))}
    </tr>
  );
}
