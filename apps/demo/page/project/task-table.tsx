import { useQuery } from '@x/client/react';
import { type ReactElement, useId, useState } from 'react';
import { cache, client } from '../client/client.ts';
import { usePeople, useUser } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { SearchField } from '../form/search-field.tsx';
import { navigate, usePlace, withQuery } from '../navigation/location.ts';
import { announce } from '../screen/announce.tsx';
import { LoadedPages } from '../screen/loaded.tsx';
import { formatChoice } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import {
  addUp,
  deleteTask,
  type Project,
  type Task,
  type TaskFilter,
  taskOrders,
  taskPages,
  type TaskTotals,
  taskTotals,
} from './queries.ts';
import { ColumnMenu, readColumns } from './task-columns.tsx';
import { type Misunderstood, parseTaskQuery, priorities, termOf, withTerm } from './task-query.ts';
import { TaskRows } from './task-rows.tsx';

/** The tasks of a project in rows, searched and sorted by the server as the address says. */
export default function TaskTable(props: { readonly project: Project }): ReactElement {
  const { id: projectId } = props.project;
  const { query } = usePlace();
  const text = query.get('search') ?? '';
  const { criteria, misunderstood } = parseTaskQuery(text, { me: useUser().id, others: usePeople() });
  const orderBy = taskOrders.find((each) => each === query.get('sort')) ?? 'createdAt:asc';
  const shown = readColumns(query);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const problemId = useId();
  return (
    <section aria-label={t.project.parts.table} className="stack table">
      <div className="toolbar">
        <SearchField
          label={t.tasks.search}
          name="search"
          placeholder={`${t.tasks.search}: is:open priority:high label:web due:<2026-12-24`}
          problemId={misunderstood.length > 0 ? problemId : undefined}
        />
        <Choices text={text} />
        <ColumnMenu shown={shown} />
      </div>
      <div id={problemId} role="status">
        {misunderstood.map(({ term, expected }) => (
          <p key={term} className="error">
            {toText({ term, expected })}
          </p>
        ))}
      </div>
      <LoadedPages
        of={useQuery(taskPages, { ...criteria, projectId, orderBy })}
        empty={text === '' ? <NoTasks projectId={projectId} /> : t.tasks.nothingFits}
        lines={6}
      >
        {(tasks, { nextCursor }) => (
          <>
            <TaskRows tasks={tasks} shown={shown} selected={selected} onSelect={setSelected} orderBy={orderBy} />
            {tasks.some(({ id }) => selected.has(id)) ? (
              <SelectionActions
                tasks={tasks.filter(({ id }) => selected.has(id)).slice(0, 100)}
                onDone={() => setSelected(new Set())}
              />
            ) : nextCursor === null ? (
              <Totals of={addUp(tasks)} />
            ) : (
              <CountedTotals filter={{ ...criteria, projectId }} />
            )}
          </>
        )}
      </LoadedPages>
    </section>
  );
}

function toText({ term, expected }: Misunderstood): string {
  return expected.length === 0 ? t.tasks.contradicts(term) : t.tasks.misunderstood(term, formatChoice(expected));
}

function NoTasks(props: { readonly projectId: string }): ReactElement {
  return (
    <>
      {t.tasks.none} <a href={`/projects/${props.projectId}`}>{t.tasks.newTask}</a>
    </>
  );
}

/** Choices of the usual terms, which they write into the query. */
function Choices(props: { readonly text: string }): ReactElement {
  const { text } = props;
  const people = usePeople().map(({ email }) => ({ value: email, text: email }));
  return (
    <>
      <Choice
        query={text}
        label={t.tasks.status}
        name="is"
        options={[
          { value: 'open', text: t.tasks.toDo },
          { value: 'done', text: t.tasks.done },
        ]}
      />
      <Choice
        query={text}
        label={t.tasks.priority}
        name="priority"
        options={priorities.map((value) => ({ value, text: t.tasks.priorities[value] }))}
      />
      <Choice
        query={text}
        label={t.tasks.assignee}
        name="assignee"
        options={[{ value: 'none', text: t.tasks.unassigned }, ...people]}
      />
    </>
  );
}

function Choice(props: {
  readonly query: string;
  readonly label: string;
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
}): ReactElement {
  const { query, label, name, options } = props;
  const chosen = termOf(query, name);
  // What was typed may be none of the options, such as the beginning of an address.
  const others =
    chosen === '' || options.some(({ value }) => value === chosen) ? [] : [{ value: chosen, text: chosen }];
  return (
    <select
      aria-label={label}
      value={chosen}
      onChange={({ target }) => navigate(withQuery({ search: withTerm(query, name, target.value) }), 'replace')}
    >
      <option value="">
        {label}: {t.common.all}
      </option>
      {[...options, ...others].map((option) => (
        <option key={option.value} value={option.value}>
          {label}: {option.text}
        </option>
      ))}
    </select>
  );
}

/** The totals of what is listed. */
function Totals(props: { readonly of: TaskTotals | undefined }): ReactElement {
  const { of } = props;
  return <p className="table-foot hint">{of && t.tasks.totals(of.count, of.hours)}</p>;
}

function CountedTotals(props: { readonly filter: Omit<TaskFilter, 'orderBy'> }): ReactElement {
  return <Totals of={useQuery(taskTotals, props.filter).data} />;
}

function SelectionActions(props: { readonly tasks: readonly Task[]; readonly onDone: () => void }): ReactElement {
  const { tasks, onDone } = props;
  const done = (text: string): void => {
    onDone();
    announce(text);
  };
  return (
    <div className="table-foot actions">
      <strong>{t.tasks.selected(tasks.length)}</strong>
      <ActionButton
        send={() =>
          cache.write(() => client.entities.tasks.bulkComplete({ ids: tasks.map(({ id }) => id) }), {
            touches: ['tasks'],
          })
        }
        onSent={() => done(t.tasks.completedMany(tasks.length))}
      >
        {t.tasks.complete}
      </ActionButton>
      <ConfirmButton
        title={t.tasks.deleteSelected}
        body={t.tasks.deleteBody}
        submit={t.common.delete}
        send={() => deleteAll(tasks)}
        onSent={() => done(t.tasks.deletedMany(tasks.length))}
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
