import { setPriority } from 'node:os';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { connectionAttacks } from './attacks/connections.ts';
import { floodAttacks } from './attacks/floods.ts';
import { queryAttacks } from './attacks/queries.ts';
import { type Attack, type Attacker, Tally, type Target } from './attacks/target.ts';

// A program: clients that do all that may hurt others. They sign up and write the largest records that they may have,
// say that they are ready, attack when they hear a message, and end at the next.

/** The arguments of the program. */
export interface HostileTerms {
  readonly port: number;
  readonly accounts: number;
  /** How many of the largest notes, and documents, each account has. */
  readonly notes: number;
  /** How many tasks each account has. */
  readonly tasks: number;
  /** How many of the largest comments each task has. */
  readonly comments: number;
  /** The names of the attacks; all if left out. */
  readonly only?: readonly string[];
}

/** The report of the program at its end. */
export type HostileReport = Pick<Tally, 'responses' | 'faults'>;

const terms = JSON.parse(process.argv[2] ?? '{}') as HostileTerms;
const { port, only } = terms;
const origin = `http://localhost:${port}`;
const largest = '\u{1F600}'.repeat(10_000);

const attackers: Attacker[] = [];
for (let count = 0; count < terms.accounts; count += 1) attackers.push(await createAttacker());
process.send?.('ready');
await once(process, 'message');

// On a machine of their own, they would take no time from the server.
setPriority(19);
const tally = new Tally();
const target: Target = { port, origin, attackers, tally };
const attacks = [...connectionAttacks, ...queryAttacks, ...floodAttacks];
for (const attack of attacks.filter(({ name }) => only?.includes(name) ?? true)) {
  for (let index = 0; index < attack.clients; index += 1) void keepOn(attack, index);
}
await once(process, 'message');
const report: HostileReport = { responses: tally.responses, faults: tally.faults };
process.send?.(report, () => process.exit());

async function keepOn(attack: Attack, index: number): Promise<never> {
  // Not all at once, since then each would wait for all others.
  await sleep(Math.random() * 1000);
  for (;;) {
    try {
      await attack.strike(target, index);
    } catch (error) {
      tally.add(attack.name, outcomeOf(error));
      await sleep(100);
    }
  }
}

function outcomeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

async function createAttacker(): Promise<Attacker> {
  const browser = new Browser(origin);
  const { user } = await write(browser, '/api/auth/signup', newAccount('attacker'));
  const { tenantId } = user as { readonly tenantId: string };
  const project = { organizationId: tenantId, name: 'Large', description: largest };
  const projectId = String((await write(browser, '/api/projects', project))['id']);
  const taskIds = await repeat(terms.tasks, async () =>
    String((await write(browser, '/api/tasks', { projectId, title: largest.slice(0, 1000) }))['id']),
  );
  const note = { title: largest, body: largest };
  await repeat(Math.ceil(terms.notes / 3), () => write(browser, '/api/notes/bulk', { create: [note, note, note] }));
  await repeat(terms.notes, () => write(browser, '/api/documents', { ...note, shared: true }));
  for (const taskId of taskIds) {
    await repeat(terms.comments, () => write(browser, '/api/comments', { taskId, body: largest }));
  }
  return { browser, projectId, taskIds };
}

/** Does something so many times, a few of them at a time. */
async function repeat<T>(times: number, work: () => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  const atOnce = 8;
  for (let done = 0; done < times; done += atOnce) {
    results.push(...(await Promise.all(Array.from({ length: Math.min(atOnce, times - done) }, work))));
  }
  return results;
}

async function write(browser: Browser, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const answer = await browser.post(path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
  return answer.body as unknown as Readonly<Record<string, unknown>>;
}
