import type { Resource, UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { type Operation, runSerially, runInProcessRounds } from '../comparison/in-process.ts';
import { openTree } from './task-tree.ts';
import { evaluateThroughput, type Outcome } from '../comparison/outcome.ts';
import type { Row } from './row.ts';

const count = 10_000;

/** The former budgets, over the plain walk that was measured beside them: 2 900 000 a second, through all levels. */
const atLeast = { onResource: 2 / 2.9, throughLevels: 0.7 / 2.9 } as const;

/**
 * `can` on memory stores, each question about another of 10 000 tasks: with a role on the task itself, and with one
 * four levels above it. No question is answered from what an earlier one found: the context is a new one every 10 000.
 * The floor of both is one walk through plain maps, all the way up.
 */
export const canInMemoryRow: Row = {
  name: 'can-memory',
  async run(settings) {
    const outcomes: Outcome[] = [];
    for (const levels of [0, 4]) {
      const sides = {
        floor: runSerially(await walkMaps(), 'memory'),
        ours: runSerially(await canOnStores(levels), 'memory'),
      };
      const row = levels === 0 ? 'can-memory: on the task' : 'can-memory: through 4 levels';
      const asked = { row, atLeast: levels === 0 ? atLeast.onResource : atLeast.throughLevels };
      outcomes.push(evaluateThroughput(asked, await runInProcessRounds(sides, settings)));
    }
    return outcomes;
  },
};

const types = ['task', 'project', 'organization', 'division', 'company'];

/** Returns the resource above a task at a level: ten times as few at each. */
function above(task: number, level: number): Resource {
  return { type: types[level] ?? '', id: `${types[level]}-${task % Math.max(1, count / 10 ** level)}` };
}

const roles = ['editor', 'manager', 'owner', 'lead', 'owner'];

async function canOnStores(levels: number): Promise<Operation> {
  const stores = createMemoryStores({ clock: { now: () => new Date() } });
  const userId = 'user' as UserId;
  for (let task = 0; task < count; task += 1) {
    for (let level = 0; level < 4; level += 1)
      await stores.hierarchy.attach({ child: above(task, level), parent: above(task, level + 1) });
    const resource = above(task, levels);
    await stores.roleAssignments.assign({ userId, resource, role: roles[levels] ?? '' });
  }
  const tasks = Array.from({ length: count }, (_, task) => ({ type: 'task', id: above(task, 0).id }) as const);
  let [asked, access] = [0, openTree(stores, userId)];
  return () => {
    if (asked === count) [asked, access] = [0, openTree(stores, userId)];
    const task = tasks[asked++];
    return task !== undefined && access.can('task:update', task);
  };
}

/** The walk up four levels by hand. Only the key of what is asked about is built; those above are found ready-made. */
async function walkMaps(): Promise<Operation> {
  const [parents, held] = [new Map<string, string>(), new Map([['user', new Map<string, string>()]])];
  const toKey = ({ type, id }: Resource): string => `${type}:${id}`;
  for (let task = 0; task < count; task += 1) {
    for (let level = 0; level < 4; level += 1) parents.set(toKey(above(task, level)), toKey(above(task, level + 1)));
    held.get('user')?.set(toKey(above(task, 4)), 'owner');
  }
  const tasks = Array.from({ length: count }, (_, task) => above(task, 0));
  let asked = 0;
  return async () => {
    const task = tasks[asked++ % count];
    if (!task) return false;
    for (let key: string | undefined = toKey(task); key !== undefined; key = parents.get(key)) {
      if (held.get('user')?.has(key)) return true;
    }
    return false;
  };
}
