import { useQuery } from '@x/client/react';
import { type ReactElement, useDeferredValue, useId, useState } from 'react';
import { cache, client, type Resource } from '../client/client.ts';
import { useOrganizationId } from '../client/queries.ts';
import { toStart } from '../screen/wording.tsx';
import { t } from '../text/text.ts';
import { tools } from '../text/tools.ts';

/** Something to choose, with its name. */
interface Named extends Resource {
  readonly name: string;
}

/** Projects and tasks whose names contain something, found by the server however many there are. */
const found = cache.query(['projects', 'tasks'], async (search: string, options) => {
  const [projects, tasks] = await Promise.all([
    client.entities.projects.list(
      { limit: 20, orderBy: 'name', ...(search !== '' && { where: { name: { icontains: search } } }) },
      options,
    ),
    client.entities.tasks.list(
      { limit: 20, orderBy: 'title', ...(search !== '' && { where: { title: { icontains: search } } }) },
      options,
    ),
  ]);
  if (!projects.ok) return projects;
  if (!tasks.ok) return tasks;
  const data: readonly Named[] = [
    ...projects.data.items.map(({ id, name }) => ({ type: 'project', id, name: tools.access.project(name) })),
    ...tasks.data.items.map(({ id, title }) => ({ type: 'task', id, name: tools.access.task(title) })),
  ];
  return { ok: true, value: data, data } as const;
});

/** The name of one project or task; undefined for others, and for those that the user cannot see. */
const names = cache.query(['projects', 'tasks'], async ({ type, id }: Resource, options) => {
  const none = { ok: true, value: null, data: null } as const;
  if (type !== 'project' && type !== 'task') return none;
  const record =
    type === 'project'
      ? await client.entities.projects.list({ where: { id }, limit: 1 }, options)
      : await client.entities.tasks.list({ where: { id }, limit: 1 }, options);
  if (!record.ok) return record;
  const [item] = record.data.items;
  if (!item) return none;
  const data = 'name' in item ? tools.access.project(item.name) : tools.access.task(item.title);
  return { ok: true, value: data, data } as const;
});

/** Returns the name of a resource that the user knows. */
export type NameOf = (resource: Resource) => string;

/** Names what was found so far, and the organization. */
export function useNameOf(): NameOf {
  const { data = [] } = useQuery(found, '');
  const known = new Map(data.map(({ type, id, name }) => [`${type}:${id}`, name]));
  return ({ type, id }) => {
    if (type === 'organization') return t.access.theOrganization;
    return known.get(`${type}:${id}`) ?? names.at({ type, id }).getSnapshot().data ?? type;
  };
}

/** Chooses the organization, a project or a task; typed text narrows the choice. */
export function ResourceSelect(props: {
  readonly resource: Resource;
  readonly onChosen: (resource: Resource) => void;
}): ReactElement {
  const { resource, onChosen } = props;
  const organizationId = useOrganizationId();
  const [search, setSearch] = useState('');
  const id = useId();
  const { data = [] } = useQuery(found, useDeferredValue(search.trim()));
  const { data: present } = useQuery(names, resource);
  const chosen = `${resource.type}:${resource.id}`;
  const options = [
    { value: `organization:${organizationId}`, text: t.access.theOrganization },
    ...(present ? [{ value: chosen, text: present }] : []),
    ...data.map(({ type, id: found, name }) => ({ value: `${type}:${found}`, text: name })),
  ];
  const unique = [...new Map(options.map((option) => [option.value, option])).values()];
  return (
    <div className="field">
      <label htmlFor={id}>{tools.access.resource}</label>
      <div className="pair">
        <input
          type="search"
          aria-label={tools.access.searchResource}
          placeholder={tools.access.searchResource}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <select
          id={id}
          value={chosen}
          onChange={({ target }) => {
            const [type = '', chosenId = ''] = target.value.split(':');
            onChosen({ type, id: chosenId });
          }}
        >
          {unique.map(({ value, text }) => (
            <option key={value} value={value}>
              {toStart(text)}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}
