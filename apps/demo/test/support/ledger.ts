import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stores } from '@x/store';
import { expect } from 'vitest';
import { newAccount } from './accounts.ts';
import { type Answer, Browser, type BrowserRequest } from './browser.ts';
import { query } from './postgres-database.ts';
import { generationOf, refresh, refreshTokenOf, sessionIdOf } from './refresh.ts';

/** The options of the clients of a ledger. */
export interface LedgerOptions {
  /** Where the demos answer now; one that was killed is left out until another listens in its place. */
  readonly origins: () => readonly string[];
  /** Stores on the same database, which consume with idempotency keys. */
  readonly stores: Stores;
  /** How many sessions are refreshed without end. */
  readonly chains: number;
}

/** Clients that load demos while servers fail, and the changes that were acknowledged to them. */
export interface Ledger {
  /** How many requests were served, refused with 503, and had no response, so far. */
  readonly counts: Readonly<Counts>;
  /** Resolves once each demo has served a write of these clients that began after the call. */
  served(): Promise<void>;
  /** Lets every client finish what it is at, and ends them. */
  stop(): Promise<void>;
  /** Expects all that was acknowledged in a database, and nothing twice. */
  expectExact(databaseUrl: string): Promise<void>;
}

interface Counts {
  served: number;
  refused: number;
  lost: number;
}

interface Chain {
  token: string;
}

/** An owner of a project, whose tasks are counted. */
interface Office {
  readonly browser: Browser;
  readonly tenantId: string;
  readonly projectId: string;
}

/** Signs up those whom the clients act for, and starts the clients. */
export async function startLedger(options: LedgerOptions): Promise<Ledger> {
  const recorder = new Recorder(options.origins);
  const [first = ''] = options.origins();
  const chains = await Promise.all(Array.from({ length: options.chains }, () => openChain(first)));
  const office = await openOffice(first);
  const acknowledged = { users: [] as string[], tasks: [] as string[], keys: [] as string[] };
  let isOver = false;
  let failure: Error | undefined;
  const repeat = async (pauseMs: number, step: () => Promise<void>): Promise<void> => {
    while (!isOver) {
      await step().catch((error: unknown) => {
        failure ??= error instanceof Error ? error : new TypeError(String(error));
        isOver = true;
      });
      await sleep(pauseMs);
    }
  };
  const clients = [
    ...chains.map((chain) => repeat(30, () => rotate(recorder, chain))),
    repeat(200, () => signUp(recorder, acknowledged.users)),
    repeat(20, () => createTask(recorder, office, acknowledged.tasks)),
    repeat(20, () => consume(options.stores, acknowledged.keys)),
  ];
  return {
    counts: recorder.counts,
    async served() {
      await Promise.race([recorder.served(), Promise.all(clients)]);
      if (failure) throw failure;
    },
    async stop() {
      isOver = true;
      await Promise.all(clients);
      if (failure) throw failure;
    },
    async expectExact(databaseUrl) {
      await expectAll(databaseUrl, 'SELECT id FROM auth_users', acknowledged.users);
      await expectAll(databaseUrl, 'SELECT title AS id FROM app_tasks', acknowledged.tasks);
      await expectConsumed(databaseUrl, office);
      await expectKeysOnce(databaseUrl, acknowledged.keys);
      await expectChains(databaseUrl, chains);
    },
  };
}

/** Sends requests to one demo after the other, and expects that each is served or refused as documented. */
class Recorder {
  readonly counts: Counts = { served: 0, refused: 0, lost: 0 };
  readonly #origins: () => readonly string[];
  readonly #servedAt = new Map<string, number>();
  #turn = 0;

  constructor(origins: () => readonly string[]) {
    this.#origins = origins;
  }

  /** The addresses of so many demos, other ones each time. */
  next(count: number): readonly string[] {
    const origins = this.#origins();
    this.#turn += 1;
    return Array.from({ length: count }, (_, index) => origins[(this.#turn + index) % origins.length] ?? '');
  }

  /** Returns a response that was served; null for one that was refused, or never came. */
  async record(origin: string, send: () => Promise<Answer>): Promise<Answer | null> {
    const startedAt = performance.now();
    const answer = await send().catch(expectConnectionLost);
    if (answer === null) {
      this.counts.lost += 1;
      return null;
    }
    if (answer.status === 503) {
      expectRefused(answer);
      this.counts.refused += 1;
      return null;
    }
    expectServed(answer);
    this.counts.served += 1;
    this.#servedAt.set(origin, startedAt);
    return answer;
  }

  async served(): Promise<void> {
    const startedAt = performance.now();
    while (!this.#origins().every((origin) => (this.#servedAt.get(origin) ?? 0) > startedAt)) await sleep(5);
  }
}

function expectConnectionLost(error: unknown): null {
  expect(error).toMatchObject({ name: 'TypeError', message: expect.stringMatching(/fetch failed|terminated/) });
  return null;
}

function expectRefused({ headers }: Answer): void {
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(headers.getSetCookie()).toEqual([]);
}

function expectServed({ status, text }: Answer): void {
  expect([200, 201], text).toContain(status);
}

async function openChain(origin: string): Promise<Chain> {
  const browser = new Browser(origin);
  expect((await browser.post('/api/auth/signup', newAccount())).status).toBe(201);
  return { token: refreshTokenOf(browser) };
}

/**
 * Presents the same token to two demos at once. It has one successor, even if answers get lost; a refusal never ends
 * it.
 */
async function rotate(recorder: Recorder, chain: Chain): Promise<void> {
  const before = chain.token;
  const refreshed = await Promise.all(
    recorder.next(2).map(async (origin) => {
      let token: string | undefined;
      await recorder.record(origin, async () => {
        const outcome = await refresh(origin, before);
        token = outcome.answer.status === 200 ? outcome.token : undefined;
        return outcome.answer;
      });
      return token;
    }),
  );
  const successors = new Set(refreshed.filter((token) => token !== undefined));
  expect(successors.size).toBeLessThanOrEqual(1);
  for (const token of successors) {
    expect(generationOf(token)).toBe(generationOf(before) + 1);
    chain.token = token;
  }
}

async function signUp(recorder: Recorder, users: string[]): Promise<void> {
  const [origin = ''] = recorder.next(1);
  const answer = await recorder.record(origin, () => new Browser(origin).post('/api/auth/signup', newAccount()));
  if (answer) users.push(answer.body.user.id);
}

/** Signs an owner up whose plan counts tasks, but allows a thousand. */
async function openOffice(origin: string): Promise<Office> {
  const browser = new Browser(origin);
  expect((await browser.post('/api/auth/signup', newAccount())).status).toBe(201);
  const [organization] = (await browser.get('/api/organizations')).body.items;
  const tenantId = String(organization?.['id']);
  expect((await browser.post(`/api/organizations/${tenantId}/plan`, { plan: 'pro' })).status).toBe(200);
  const project = await browser.post('/api/projects', { organizationId: tenantId, name: 'Ledger' });
  expect(project.status, project.text).toBe(201);
  return { browser, tenantId, projectId: project.body.id };
}

async function createTask(recorder: Recorder, { browser, projectId }: Office, titles: string[]): Promise<void> {
  const [origin = ''] = recorder.next(1);
  const title = randomUUID();
  const request: BrowserRequest = { method: 'POST', body: { projectId, title } };
  const answer = await recorder.record(origin, () => browser.at(origin).send('/api/tasks', request));
  if (answer) titles.push(title);
}

const ledgerTenant = 'ledger';

/** Consumes with a key, as often as it takes until that is acknowledged. */
async function consume({ wallets }: Stores, keys: string[]): Promise<void> {
  const idempotencyKey = randomUUID();
  for (;;) {
    const debits = [{ limit: 'calls', periodStart: new Date(0), amount: 1, max: -1 }];
    const outcome = await wallets
      .consume({ tenantId: ledgerTenant, receiptId: randomUUID(), idempotencyKey, debits })
      .catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
        return null;
      });
    if (outcome) break;
    await sleep(50);
  }
  keys.push(idempotencyKey);
}

async function expectAll(databaseUrl: string, select: string, acknowledged: readonly string[]): Promise<void> {
  const stored = new Set((await query(databaseUrl, select)).map(({ id }) => id));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
}

/** Expects that every task consumed one of its plan's, in the same transaction. */
async function expectConsumed(databaseUrl: string, { tenantId, projectId }: Office): Promise<void> {
  const [row] = await query(
    databaseUrl,
    `SELECT (SELECT count(*) FROM app_tasks WHERE project_id = $2) AS tasks,
      (SELECT sum(consumed) FROM access_wallets WHERE tenant_id = $1 AND limit_name = 'tasks') AS consumed`,
    [tenantId, projectId],
  );
  expect(row?.['consumed']).toBe(row?.['tasks']);
}

async function expectKeysOnce(databaseUrl: string, keys: readonly string[]): Promise<void> {
  const [row] = await query(
    databaseUrl,
    `SELECT (SELECT sum(consumed) FROM access_wallets WHERE tenant_id = $1) AS consumed,
      (SELECT count(*) FROM access_consumptions WHERE tenant_id = $1) AS keys`,
    [ledgerTenant],
  );
  expect([Number(row?.['consumed']), Number(row?.['keys'])]).toEqual([keys.length, keys.length]);
}

/** Expects each session where its client is, or one rotation ahead, whose response was lost. */
async function expectChains(databaseUrl: string, chains: readonly Chain[]): Promise<void> {
  const rows = await query(databaseUrl, 'SELECT id, generation, revoked_at FROM auth_sessions WHERE id = ANY ($1)', [
    chains.map(({ token }) => sessionIdOf(token)),
  ]);
  const stored = new Map(rows.map((row) => [row['id'], row]));
  for (const { token } of chains) {
    const session = stored.get(sessionIdOf(token));
    expect(session?.['revoked_at']).toBeNull();
    const ahead = Number(session?.['generation']) - generationOf(token);
    expect([0, 1]).toContain(ahead);
  }
}
