import { useQuery } from '@x/client/cache';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { useNames, usePeople } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { SearchField } from '../form/search-field.tsx';
import { navigate, usePlace, withQuery } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { DueDay, formatDay, formatMoment } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import {
  deleteTask,
  isGranted,
  priorities,
  type Project,
  type Task,
  type TaskFilter,
  type TaskOrder,
  taskOrders,
  taskPages,
} from './queries.ts';

/** The tasks of a project in rows, searched, filtered and sorted by the server as the address says. */
export default function TaskTable(props: { readonly project: Project }): ReactElement {
  const { id: projectId } = props.project;
  const { query } = usePlace();
  const filter = readFilter(projectId, query);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  return (
    <section aria-label={t.project.parts.table} className="stack">
      <div className="toolbar">
        <SearchField label={t.tasks.search} name="search" />
        <FilterSelect
          label={t.tasks.status}
          name="done"
          options={[
            { value: 'false', text: t.tasks.toDo },
            { value: 'true', text: t.tasks.done },
          ]}
        />
        <FilterSelect
          label={t.tasks.priority}
          name="priority"
          options={priorities.map((value) => ({ value, text: t.tasks.priorities[value] }))}
        />
        <AssigneeFilter />
      </div>
      <LoadedPages of={useQuery(taskPages, filter)} empty={t.tasks.nothingFits} lines={6}>
        {(tasks, { total }) => (
          <>
            <Bulk
              tasks={tasks}
              selected={selected}
              total={total ?? tasks.length}
              onDone={() => setSelected(new Set())}
            />
            <Rows tasks={tasks} selected={selected} onSelect={setSelected} orderBy={filter.orderBy} />
          </>
        )}
      </LoadedPages>
    </section>
  );
}

/** Reads from the address which tasks are listed. A visitor can type any address: unknown values are left out. */
function readFilter(projectId: string, query: URLSearchParams): TaskFilter {
  const [done, search, assigneeId] = ['done', 'search', 'assignee'].map((name) => query.get(name));
  const priority = priorities.find((each) => each === query.get('priority'));
  const orderBy = taskOrders.find((each) => each === query.get('sort')) ?? 'createdAt:asc';
  return {
    projectId,
    orderBy,
    ...((done === 'true' || done === 'false') && { done: done === 'true' }),
    ...(search && { search: search.slice(0, 256) }),
    ...(priority && { priority }),
    ...(assigneeId && { assigneeId: assigneeId === 'none' ? '' : assigneeId }),
  };
}

function FilterSelect(props: {
  readonly label: string;
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
}): ReactElement {
  const { label, name, options } = props;
  const value = usePlace().query.get(name) ?? '';
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ target }) => navigate(withQuery({ [name]: target.value }), 'replace')}
    >
      <option value="">
        {label}: {t.common.all}
      </option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {label}: {option.text}
        </option>
      ))}
    </select>
  );
}

function AssigneeFilter(): ReactElement {
  const people = usePeople().map(({ userId, email }) => ({ value: userId, text: email }));
  return (
    <FilterSelect
      label={t.tasks.assignee}
      name="assignee"
      options={[{ value: 'none', text: t.tasks.unassigned }, ...people]}
    />
  );
}

/** The actions on the selected tasks, and the number of tasks. */
function Bulk(props: {
  readonly tasks: readonly Task[];
  readonly selected: ReadonlySet<string>;
  readonly total: number;
  readonly onDone: () => void;
}): ReactElement {
  const { tasks, selected, total, onDone } = props;
  const chosen = tasks.filter(({ id }) => selected.has(id)).slice(0, 100);
  if (chosen.length === 0) return <p className="hint">{t.tasks.total(total)}</p>;
  const done = (text: string): void => {
    onDone();
    announce(text);
  };
  return (
    <div className="actions">
      <strong>{t.tasks.selected(chosen.length)}</strong>
      <ActionButton
        send={() =>
          cache.write(() => client.entities.tasks.bulkComplete({ ids: chosen.map(({ id }) => id) }), {
            touches: ['tasks'],
          })
        }
        onSent={() => done(t.tasks.completedMany(chosen.length))}
      >
        {t.tasks.complete}
      </ActionButton>
      <ConfirmButton
        title={t.tasks.deleteSelected}
        body={t.tasks.deleteBody}
        submit={t.common.delete}
        send={() => deleteAll(chosen)}
        onSent={() => done(t.tasks.deletedMany(chosen.length))}
      >
        {t.common.delete}
      </ConfirmButton>
    </div>
  );
}

/** Deletes tasks one by one, as the server has no way for several; stops at the first that may not be deleted. */
async function deleteAll(tasks: readonly Task[]) {
  let result: Awaited<ReturnType<typeof deleteTask>> = { ok: true, value: undefined, data: undefined };
  for (const task of tasks) {
    result = await deleteTask(task);
    if (!result.ok) break;
  }
  return result;
}

/** Only the rows in sight are in the document, however many were read. */
function Rows(props: {
  readonly tasks: readonly Task[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly orderBy: TaskOrder;
}): ReactElement {
  const { tasks, selected, onSelect, orderBy } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 45,
    overscan: 10,
  });
  const items = rows.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  const mayChange = tasks.filter(({ __access }) => isGranted(__access['task:update']));
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
            <th scope="col" className="narrow-cell">
              <SelectAll ids={mayChange.map(({ id }) => id)} selected={selected} onSelect={onSelect} />
            </th>
            <SortHeader text={t.tasks.title} field="title" orderBy={orderBy} />
            <SortHeader text={t.tasks.status} field="done" orderBy={orderBy} />
            <th scope="col">{t.tasks.priority}</th>
            <th scope="col">{t.tasks.assignee}</th>
            <SortHeader text={t.tasks.due} field="dueAt" orderBy={orderBy} />
            <SortHeader text={t.tasks.updated} field="updatedAt" orderBy={orderBy} />
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Gap height={before} />}
          {items.map(({ index }) => {
            const task = tasks[index];
            return task && <Row key={task.id} task={task} isSelected={selected.has(task.id)} onToggle={toggle} />;
          })}
          {after > 0 && <Gap height={after} />}
        </tbody>
      </table>
    </div>
  );
}

/** Stands for the rows that are not in the document. */
function Gap(props: { readonly height: number }): ReactElement {
  return (
    <tr aria-hidden>
      <td colSpan={7} style={{ height: props.height, padding: 0 }} />
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

function SortHeader(props: {
  readonly text: string;
  readonly field: 'title' | 'done' | 'dueAt' | 'updatedAt';
  readonly orderBy: TaskOrder;
}): ReactElement {
  const { text, field, orderBy } = props;
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

function Row(props: {
  readonly task: Task;
  readonly isSelected: boolean;
  readonly onToggle: (id: string) => void;
}): ReactElement {
  const { task, isSelected, onToggle } = props;
  const { id, title, done, priority, assigneeId, dueAt, updatedAt, __access } = task;
  const nameOf = useNames();
  return (
    <tr>
      <td className="narrow-cell">
        <input
          type="checkbox"
          aria-label={t.tasks.select(title)}
          checked={isSelected}
          disabled={!isGranted(__access['task:update'])}
          onChange={() => onToggle(id)}
        />
      </td>
      <td>
        <a href={withQuery({ task: id })} className="plain clip">
          {title}
        </a>
      </td>
      <td>{done ? <span className="tag">{t.tasks.done}</span> : t.tasks.toDo}</td>
      <td>
        {priority === 'normal' ? (
          t.tasks.priorities.normal
        ) : (
          <span className={`tag ${priority}`}>{t.tasks.priorities[priority]}</span>
        )}
      </td>
      <td className="clip">{assigneeId === null ? '–' : (nameOf(assigneeId) ?? t.common.somebody)}</td>
      <td>{dueAt === null ? '–' : <DueDay at={dueAt} />}</td>
      <td className="hint" title={formatMoment(updatedAt)}>
        {formatDay(updatedAt)}
      </td>
    </tr>
  );
}
