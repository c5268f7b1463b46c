import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntityClient, patch, remove } from '../../support/entity-server.ts';
import { LiveReader } from '../../support/live-reader.ts';
import { assign, createLiveWorld, liveEngines, type LiveWorld } from '../../support/live-world.ts';

/** A step of a user, chosen by the numbers. */
interface Step {
  readonly who: number;
  readonly kind: 'create' | 'update' | 'move' | 'delete' | 'assign' | 'revoke' | 'plan' | 'note';
  readonly at: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  who: fc.nat(2),
  kind: fc.constantFrom('create', 'update', 'move', 'delete', 'assign', 'revoke', 'plan', 'note'),
  at: fc.nat(3),
});

const lists = ['projects', 'reports', 'organizations', 'notes'] as const;

/** A browser that reads a list again upon a notice, as the client does. */
class Screen {
  readonly shown: Map<string, string> = new Map();
  readonly #who: EntityClient;
  readonly #reader: LiveReader;

  constructor(who: EntityClient, reader: LiveReader) {
    this.#who = who;
    this.#reader = reader;
  }

  async read(list: string): Promise<string> {
    const { items } = (await this.#who.browser.get(`/api/${list}?limit=100`)).body;
    return JSON.stringify(items.map(({ id, name, title }) => [id, name, title]));
  }

  /** Reads the lists of all notices so far, and returns those that differ from a fresh read. */
  async findStale(): Promise<readonly string[]> {
    for (const { data } of this.#reader.events.splice(0)) {
      if (data['subscription'] === undefined) continue;
      const list = data['subscription'] ?? '';
      this.shown.set(list, await this.read(list));
    }
    const fresh = await Promise.all(lists.map((list) => this.read(list)));
    return lists.filter((list, index) => this.shown.get(list) !== fresh[index]);
  }
}

async function take(
  world: LiveWorld,
  people: readonly EntityClient[],
  organizations: readonly string[],
  { who, kind, at }: Step,
) {
  const actor = people[who]?.browser;
  const organizationId = organizations[at % organizations.length] ?? '';
  const other = people[(who + 1 + (at % 2)) % people.length]?.userId ?? '';
  if (!actor) return;
  const { items } = (await actor.get('/api/projects?limit=100')).body;
  const id = toText(items[at % Math.max(1, items.length)]?.['id']);
  if (kind === 'create') {
    const made = (await actor.post('/api/projects', { organizationId, name: 'P' })).body;
    if (made.id) await actor.post('/api/reports', { projectId: made.id, name: 'R' });
  }
  if (kind === 'update' && id) await patch(actor, `/api/projects/${id}`, { name: `P${at}` });
  if (kind === 'move' && id) await patch(actor, `/api/projects/${id}`, { organizationId });
  if (kind === 'delete' && id) await remove(actor, `/api/projects/${id}`);
  if (kind === 'note') await actor.post('/api/notes', { title: 'N' });
  if (kind === 'plan')
    await world.stores.subscriptions.assign({
      tenantId: organizationId,
      planName: at % 2 ? 'pro' : 'free',
      group: 'base',
    });
  const role = at % 2 ? 'owner' : 'member';
  if (kind === 'assign') await assign(world, other, role, organizationId);
  if (kind === 'revoke') {
    const held = (await world.stores.roleAssignments.listByUser(other as EntityClient['userId']))[0];
    if (held) await world.stores.roleAssignments.revoke(held);
  }
}

function toText(id: unknown): string {
  return typeof id === 'string' ? id : '';
}

const runs = process.env['DEEP']
  ? { memory: 10_000, sqlite: 1000, postgres: 200 }
  : { memory: 6, sqlite: 3, postgres: 1 };

describe.each(liveEngines)('live on %s', { timeout: 3_600_000 }, (engine) => {
  it('leaves every screen as a fresh read would show it, after any steps of all users', async () => {
    const world = await createLiveWorld(engine);
    const [{ server, signUp }] = world.servers;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const people = [await signUp(), await signUp(), await signUp()];
        const organizations: string[] = [];
        for (const { browser } of people.slice(0, 2)) {
          organizations.push((await browser.post('/api/organizations', { name: 'A' })).body.id);
        }
        const readers = await Promise.all(people.map(({ browser }) => LiveReader.open(server, browser)));
        const screens = people.map((who, index) => new Screen(who, readers[index] ?? new LiveReader()));
        for (const [index, screen] of screens.entries()) {
          const [who, reader] = [people[index], readers[index]];
          for (const list of who && reader ? lists : []) {
            if (who && reader) await world.subscribe(who, reader, { id: list, entity: list });
            screen.shown.set(list, await screen.read(list));
          }
        }
        const takeEach = async (some: readonly Step[]): Promise<void> => {
          for (const each of some) await take(world, people, organizations, each);
          for (const screen of screens) await expect.poll(() => screen.findStale()).toEqual([]);
        };
        // No other notice stands for that of the last step.
        await takeEach(steps.slice(0, -1));
        await takeEach(steps.slice(-1));
        for (const reader of readers) reader.leave();
      }),
      { numRuns: runs[engine] },
    );
  });
});
