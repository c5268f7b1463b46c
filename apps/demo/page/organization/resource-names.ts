import { useQuery } from '@x/client/react';
import { cache, client, type Resource } from '../client/client.ts';

/** Ids asked for at once: the server compares with no more values. */
const most = 100;

/** The names of projects and tasks by their ids, which are joined by spaces; those that are gone have none. */
const names = cache.query(['projects', 'tasks'], async (wanted: string, options) => {
  const [projectIds = [], taskIds = []] = wanted.split('|').map((ids) => ids.split(' ').filter(Boolean));
  const [projects, tasks] = await Promise.all([
    readAll(projectIds, (ids) =>
      client.entities.projects.list({ where: { id: { in: ids } }, limit: most, select: ['id', 'name'] }, options),
    ),
    readAll(taskIds, (ids) =>
      client.entities.tasks.list({ where: { id: { in: ids } }, limit: most, select: ['id', 'title'] }, options),
    ),
  ]);
  const data = new Map([
    ...projects.map(({ id, name }) => [id, name] as const),
    ...tasks.map(({ id, title }) => [id, title] as const),
  ]);
  return { ok: true, value: data, data } as const;
});

interface Listed<Item> {
  readonly ok: boolean;
  readonly data?: { readonly items: readonly Item[] } | undefined;
}

/** A part that cannot be read costs its names alone. */
async function readAll<Item>(
  ids: readonly string[],
  list: (ids: readonly string[]) => Promise<Listed<Item>>,
): Promise<readonly Item[]> {
  const parts = Array.from({ length: Math.ceil(ids.length / most) }, (_, part) =>
    list(ids.slice(part * most, (part + 1) * most)),
  );
  return (await Promise.all(parts)).flatMap(({ data }) => data?.items ?? []);
}

/** Returns the name of a project or task of those that are asked for; undefined if it is not known, or gone. */
export function useResourceNames(resources: readonly Resource[]): (resource: Resource) => string | undefined {
  const idsOf = (wanted: string): string =>
    [...new Set(resources.filter(({ type }) => type === wanted).map(({ id }) => id))].toSorted().join(' ');
  const { data } = useQuery(names, `${idsOf('project')}|${idsOf('task')}`);
  return ({ id }) => data?.get(id);
}
