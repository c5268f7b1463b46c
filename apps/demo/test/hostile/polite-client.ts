import { setTimeout as sleep } from 'node:timers/promises';
import { startStopwatch, type Stopwatch } from '@x/test-support/measure';
import { Browser } from '../support/browser.ts';
import { newAccount } from '../support/accounts.ts';

// A program: a user at work in a browser, who asks 20 times a second at a fixed pace, and measures each answer. It has
// a process of its own, so that nothing else that the tests do delays it.

/** One request of the polite client. */
export interface PoliteSample {
  readonly kind: string;
  /** When it was sent, in milliseconds of `Date.now()`. */
  readonly sentAt: number;
  readonly tookMs: number;
  /** The part of it in which this program or the server could have run, but had no core. */
  readonly waitedMs: number;
}

/** The report of the polite client when it is told to stop. */
export interface PoliteReport {
  readonly samples: readonly PoliteSample[];
  /** All unexpected answers, and every record that is not as the client left it. */
  readonly surprises: readonly string[];
}

interface Note {
  readonly id: string;
  title: string;
  version: number;
}

type Step = () => Promise<void>;

const everyMs = 50;
const timeoutMs = 10_000;

const [, , origin = '', serverId = ''] = process.argv;
const browser = new Browser(origin);
const samples: PoliteSample[] = [];
const surprises: string[] = [];
const underWay = new Set<Promise<void>>();
const notes: Note[] = [];
/** Notes that a change is under way to: who edits in one tab does not race themselves. */
const busy = new Set<Note>();
/** One for each read that is under way. */
const reads: { readonly note: Note }[] = [];
let noteCount = 0;

const account = newAccount('polite');
const { tenantId } = (await must('signup', 201, 'POST', '/api/auth/signup', account)).body.user as unknown as {
  readonly tenantId: string;
};
const project = { organizationId: tenantId, name: 'Garden' };
const { id: projectId } = (await must('project', 201, 'POST', '/api/projects', project)).body;
for (const title of ['Dig', 'Sow', 'Water', 'Wait', 'Harvest']) {
  await must('task', 201, 'POST', '/api/tasks', { projectId, title });
}
for (let count = 0; count < 30; count += 1) await createNote();
samples.length = 0;
process.send?.('ready');

let isStopping = false;
process.once('message', () => (isStopping = true));

const steps: readonly Step[] = toSteps();
const startedAt = performance.now();
for (let tick = 0; !isStopping; tick += 1) {
  const step = steps[tick % steps.length];
  if (step) start(step);
  await sleep(Math.max(0, startedAt + (tick + 1) * everyMs - performance.now()));
}
await Promise.all(underWay);
await compareNotes().catch((error: unknown) => surprises.push(String(error)));
process.send?.({ samples, surprises: surprises.slice(0, 50) } satisfies PoliteReport, () => process.exit());

/** The requests to send in turn, once in two seconds: mostly reads, as pages do. */
function toSteps(): readonly Step[] {
  const session: Step = async () => {
    const { body } = await must('session', 200, 'GET', '/api/auth/session');
    if (body.session?.user.email !== account.email) surprises.push('session: is not that of the account');
  };
  const health: Step = async () => void (await must('healthz', 200, 'GET', '/healthz'));
  const list: Step = async () => {
    const { body } = await must('list', 200, 'GET', '/api/notes?orderBy=createdAt:desc&limit=20');
    if (body.items.length !== 20) surprises.push(`list: ${body.items.length} notes`);
  };
  const tasks: Step = async () => {
    const { body } = await must('tasks', 200, 'GET', `/api/tasks?where[projectId]=${projectId}&access=task:update`);
    if (body.items.length !== 5) surprises.push(`tasks: ${body.items.length} tasks`);
  };
  const check: Step = async () => {
    const checks = [{ entitlement: 'project:update', resource: { type: 'project', id: projectId } }];
    const { body } = await must('check', 200, 'POST', '/api/access/check', { checks });
    const [result] = (body as unknown as { readonly results: readonly { readonly allowed: boolean }[] }).results;
    if (!result?.allowed) surprises.push('check: is denied');
  };
  // One at a time, as the client of browsers does: another would come with a token that was replaced long ago.
  let refreshing: Promise<unknown> | undefined;
  const refresh: Step = async () => {
    refreshing ??= must('refresh', 200, 'POST', '/api/auth/refresh').finally(() => (refreshing = undefined));
    await refreshing;
  };
  const cycle = [session, list, health, getNote, tasks, session, changeNote, list, getNote, check];
  return [...cycle, ...cycle, ...cycle, createNote, ...cycle.slice(1), deleteNote, refresh];
}

function start(step: Step): void {
  const running = step().catch((error: unknown) => {
    surprises.push(String(error));
  });
  underWay.add(running);
  void running.then(() => underWay.delete(running));
}

async function createNote(): Promise<void> {
  noteCount += 1;
  const title = `Note ${noteCount}`;
  const { body } = await must('create', 201, 'POST', '/api/notes', { title, body: 'As it was.' });
  notes.push({ id: body.id, title, version: 1 });
}

async function getNote(): Promise<void> {
  const note = anyNote();
  const [{ title, version }] = [note];
  const read = { note };
  reads.push(read);
  const answer = await must('get', 200, 'GET', `/api/notes/${note.id}`);
  reads.splice(reads.indexOf(read), 1);
  if (busy.has(note) || note.version !== version) return;
  compare(note, answer.body as unknown as Readonly<Record<string, unknown>>, title);
}

async function changeNote(): Promise<void> {
  const note = anyNote();
  busy.add(note);
  const title = `${note.title.split(',', 1)[0]}, ${note.version}`;
  const headers = { 'if-match': `"${note.version}"` };
  await must('change', 200, 'PATCH', `/api/notes/${note.id}`, { title }, headers);
  Object.assign(note, { title, version: note.version + 1 });
  busy.delete(note);
}

async function deleteNote(): Promise<void> {
  const note = anyNote(({ id }) => !reads.some((read) => read.note.id === id));
  notes.splice(notes.indexOf(note), 1);
  await must('delete', 204, 'DELETE', `/api/notes/${note.id}`);
}

/** One that no change is under way to. */
function anyNote(suits: (note: Note) => boolean = () => true): Note {
  const idle = notes.filter((note) => !busy.has(note) && suits(note));
  const note = idle[Math.floor(Math.random() * idle.length)];
  if (!note) throw new Error('No note is left that is not being changed');
  return note;
}

/** Finds every note as it was left, and no other. */
async function compareNotes(): Promise<void> {
  const left = new Map(notes.map((note) => [note.id, note]));
  for (let after = ''; ;) {
    const { body } = await must('list', 200, 'GET', `/api/notes?limit=100${after}`);
    for (const item of body.items) {
      const note = left.get(String(item['id']));
      if (note) compare(note, item, note.title);
      else surprises.push(`A note that was never made, or deleted: ${JSON.stringify(item)}`);
      left.delete(String(item['id']));
    }
    const { nextCursor } = body as unknown as { readonly nextCursor: string | null };
    if (nextCursor === null) break;
    after = `&after=${encodeURIComponent(nextCursor)}`;
  }
  for (const { title } of left.values()) surprises.push(`Lost: ${title}`);
}

function compare(note: Note, found: Readonly<Record<string, unknown>>, title: string): void {
  if (found['title'] !== title) surprises.push(`${note.id} is called ${String(found['title'])}, not ${title}`);
}

/** Asks, measures, and throws unless the answer is the one that a server at rest gives. */
async function must(
  kind: string,
  status: number,
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<Awaited<ReturnType<Browser['send']>>> {
  const [sentAt, from, stopwatch] = [Date.now(), performance.now(), startStopwatch([Number(serverId)])];
  const answered = new AbortController();
  const answer = await Promise.race([
    browser
      .send(path, { method, ...(body !== undefined && { body }), ...(headers && { headers }) })
      .finally(() => answered.abort()),
    untilOver(stopwatch, answered.signal),
  ]);
  const tookMs = performance.now() - from;
  samples.push({ kind, sentAt, tookMs, waitedMs: tookMs - stopwatch() });
  if (answer === null) throw new Error(`${kind}: no answer within ${timeoutMs} ms`);
  if (answer.status !== status) throw new Error(`${kind}: ${answer.status} ${answer.text.slice(0, 200)}`);
  return answer;
}

/** Waits for as long as a user would wait for an answer, without the time in which a busy machine runs neither side. */
async function untilOver(stopwatch: Stopwatch, answered: AbortSignal): Promise<null> {
  while (stopwatch() < timeoutMs && !answered.aborted) await sleep(500, null, { ref: false });
  return null;
}
