import { type Asked, ask, type Attack, type Attacker, type Target } from './target.ts';

// Queries that make the server read, compare and send as much as the bounds allow, and such as are over them.

const emoji = '\u{1F600}';

/** 256 code points that each row begins to match at every place, and none matches to the end. */
function almost(index: number): string {
  return emoji.repeat(200) + String.fromCodePoint(0x1f300 + (index % 200)) + emoji.repeat(55);
}

/** 50 conditions, as many as there may be. */
function fifty(field: string, operator: string): readonly object[] {
  return Array.from({ length: 50 }, (_, index) => ({ [field]: { [operator]: almost(index) } }));
}

/** The costliest searches that are allowed. */
const searches: readonly object[] = [
  { where: { AND: fifty('body', 'contains').map((NOT) => ({ NOT })) }, limit: 100, count: true },
  { where: { OR: fifty('body', 'contains') }, limit: 100, count: true },
  { where: { OR: fifty('title', 'contains') }, orderBy: 'body:desc', limit: 100, count: true },
  { where: { NOT: { OR: fifty('body', 'endsWith') } }, orderBy: 'body', limit: 100 },
  { where: { OR: [...fifty('body', 'contains').slice(0, 25), ...fifty('title', 'contains').slice(25)] }, count: true },
  { where: { body: { contains: 'x' } }, orderBy: 'title,body,pinned,updatedAt', limit: 100, count: true },
  { where: { NOT: { NOT: { NOT: { NOT: { NOT: { NOT: { body: { contains: almost(1) } } } } } } } }, count: true },
  { where: { body: { gt: emoji.repeat(9000) } }, orderBy: 'body,title', count: true },
  { where: { title: { in: Array.from({ length: 50 }, (_, index) => almost(index)) } }, count: true },
  { orderBy: 'body:desc', limit: 100, count: true },
];

/** Search through the largest rows with all that a query may have. */
const search: Attack = {
  name: 'search',
  clients: 24,
  strike: (target, index) => {
    const entity = index % 3 === 0 ? 'documents' : 'notes';
    const query = searches[turn() % searches.length] as { readonly orderBy?: string };
    const body =
      entity === 'documents' ? { ...query, ...(query.orderBy?.includes('pinned') && { orderBy: 'body' }) } : query;
    return ask(target, 'search', { method: 'POST', path: `/api/${entity}/query`, attacker: one(target, index), body });
  },
};

const everything = 'comments,comments.task,project,project.tasks,project.organization';

/** Include as much as can be followed from the largest rows. */
const include: Attack = {
  name: 'include',
  clients: 12,
  strike: (target, index) => {
    const attacker = one(target, index);
    const number = turn();
    const task = attacker.taskIds[number % attacker.taskIds.length] ?? '';
    const paths = [
      `/api/tasks?include=${everything}&limit=100&count=true`,
      '/api/tasks?include=comments&limit=100',
      '/api/comments?include=task.project&limit=100',
      `/api/comments?where[taskId]=${task}&include=task,task.project&limit=100`,
      `/api/tasks/${task}?include=${everything}`,
      `/api/projects/${attacker.projectId}?include=tasks.comments`,
      '/api/projects?include=tasks.comments,organization&access=project:update,project:delete',
    ];
    return ask(target, 'include', { path: paths[number % paths.length] ?? '', attacker });
  },
};

/** A new statement each time: other fields, orders and conditions. */
const shapes: Attack = {
  name: 'shapes',
  clients: 8,
  strike: (target, index) => {
    const columns = ['id', 'title', 'body', 'pinned', 'ownerId', 'createdAt', 'updatedAt'];
    const mixed = columns.toSorted(() => Math.random() - 0.5);
    const some = mixed.slice(0, 1 + Math.floor(Math.random() * columns.length));
    const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'];
    const where = Array.from({ length: 1 + Math.floor(Math.random() * 20) }, () => ({
      title: { [any(operators)]: String(Math.random()) },
      body: { [any(['contains', 'startsWith', 'endsWith'])]: String(Math.random()) },
    }));
    const body = {
      where: { [any(['AND', 'OR'])]: where },
      orderBy: some.map((name) => `${name}:${any(['asc', 'desc'])}`),
      select: some,
      limit: 1 + Math.floor(Math.random() * 100),
    };
    return ask(target, 'shapes', { method: 'POST', path: '/api/notes/query', attacker: one(target, index), body });
  },
};

/** Queries over the bounds, each to be refused before anything is read. */
const overBounds: Attack = {
  name: 'over bounds',
  clients: 4,
  strike: (target, index) => {
    const bodies: readonly unknown[] = [
      { where: { OR: [...fifty('body', 'contains'), { title: 'x' }] } },
      { where: { body: { contains: emoji.repeat(257) } } },
      { where: { id: { in: Array.from({ length: 5000 }, () => crypto.randomUUID()) } } },
      `{"where":${'{"NOT":'.repeat(9)}{"title":"x"}${'}'.repeat(9)}}`,
      `{"where":${'{"AND":['.repeat(32)}{"title":"x"}${']}'.repeat(32)}}`,
      `{"where":${'{"NOT":'.repeat(30_000)}`,
      { where: { AND: Array.from({ length: 999 }, () => ({})) } },
      { orderBy: Array.from({ length: 200 }, () => 'body') },
      { include: Array.from({ length: 200 }, () => 'comments.task') },
    ];
    const body = bodies[turn() % bodies.length];
    return ask(target, 'over bounds', { method: 'POST', path: '/api/tasks/query', attacker: one(target, index), body });
  },
};

/** Many lists by URL: long, repeated, or nearly right. */
const urls: Attack = {
  name: 'urls',
  clients: 4,
  strike: (target, index) => {
    const queries = [
      Array.from({ length: 50 }, (_, at) => `where[body][contains]=${at}`).join('&'),
      `where[id][in]=${Array.from({ length: 100 }, () => crypto.randomUUID()).join(',')}`,
      `where[title][contains]=${'a'.repeat(14_000)}`,
      `where[title][contains]=${encodeURIComponent(almost(0)).slice(0, 3000)}&count=true&orderBy=body`,
      `after=${Buffer.from(JSON.stringify(Array.from({ length: 500 }, () => 0))).toString('base64url')}`,
      Array.from({ length: 900 }, (_, at) => `x${at}=1`).join('&'),
    ];
    const asked: Asked = { path: `/api/notes?${queries[turn() % queries.length] ?? ''}`, attacker: one(target, index) };
    return ask(target, 'urls', asked);
  },
};

export const queryAttacks: readonly Attack[] = [search, include, shapes, overBounds, urls];

function one({ attackers }: Target, index: number): Attacker {
  const attacker = attackers[index % attackers.length];
  if (!attacker) throw new TypeError('There are no attackers.');
  return attacker;
}

function any<T>(items: readonly T[]): T & string {
  return items[Math.floor(Math.random() * items.length)] as T & string;
}

let turns = 0;

function turn(): number {
  return (turns += 1);
}
