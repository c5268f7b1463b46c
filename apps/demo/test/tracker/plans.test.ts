import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { startHere, useDemoHere } from '../support/demo-in-process.ts';
import { type AnyBody, type Person, signUpPerson, wordOf } from '../support/person.ts';
import { createDatabase } from '../support/postgres-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const url = useDemoHere({ RATE_LIMIT_FACTOR: '100' });

async function newProject(ada: Person, name = 'Website'): Promise<AnyBody> {
  return ada.must('POST', '/api/projects', { organizationId: ada.workspaceId, name });
}

function choose(ada: Person, plan: string): Promise<AnyBody> {
  return ada.must('POST', `/api/organizations/${ada.workspaceId}/plan`, { plan });
}

interface Limit {
  readonly key: string;
  readonly max: number;
  readonly consumed: number;
  readonly remaining: number;
  readonly resetsAt: string;
}

async function limitOf(ada: Person, key: string): Promise<Limit | undefined> {
  const { limits } = await ada.must('GET', `/api/organizations/${ada.workspaceId}/plan`);
  return (limits as readonly Limit[]).find((limit) => limit.key === key);
}

it.each(['memory', 'file', 'postgres'])(
  'creates of 40 projects at once as many as the limit allows, on %s',
  async (kind) => {
    const folder = makeFolder();
    const urls = { memory: () => 'memory:', file: () => `file:${folder}/demo.db`, postgres: createDatabase };
    const shared = {
      DATABASE_URL: await urls[kind as keyof typeof urls](),
      ENCRYPTION_KEY: crypto.randomUUID(),
      RATE_LIMIT_FACTOR: '100',
    };
    const first = await startHere(shared);
    // Two servers work on one database where it can be shared.
    const second = kind === 'memory' ? first : await startHere(shared);
    const ada = await signUpPerson(first);
    const body = { organizationId: ada.workspaceId, name: 'One of many' };
    const browsers = [ada.browser, ada.browser.at(second)] as const;
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => browsers[(index % 2) as 0 | 1].post('/api/projects', body)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const {
      status,
      body: { error },
    } of refused) {
      expect({ status, error }).toMatchObject({ status: 403, error: { code: 'FORBIDDEN', reason: 'limit_reached' } });
      expect(error).toMatchObject({ meta: { limit: { key: 'projects', max: 3, consumed: 3, remaining: 0 } } });
    }
    expect((await ada.must('GET', '/api/projects?count=true'))['total']).toBe(3);
    expect(await limitOf(ada, 'projects')).toMatchObject({ consumed: 3, remaining: 0 });
  },
);

it('resets a limit with its period, which a change of plans does not move', async () => {
  const origin = await startHere({ RATE_LIMIT_FACTOR: '100' });
  const account = newAccount();
  const ada = await signUpPerson(origin, account);
  for (const name of ['a', 'b', 'c']) await newProject(ada, name);
  const before = await limitOf(ada, 'projects');
  const body = { organizationId: ada.workspaceId, name: 'd' };
  expect(wordOf(await ada.post('/api/projects', body))).toBe('403 FORBIDDEN');
  await ada.browser.post('/dev/clock', { advanceSeconds: 86_400 });
  expect(await choose(ada, 'pro')).toMatchObject({ plan: 'pro' });
  expect(await limitOf(ada, 'projects')).toEqual({ ...before, max: 100, remaining: 97 });
  await choose(ada, 'free');
  expect(await limitOf(ada, 'projects')).toEqual(before);
  const waitMs = new Date(before?.resetsAt ?? 0).getTime() - Date.now() - 86_400_000;
  await ada.browser.post('/dev/clock', { advanceSeconds: Math.ceil(waitMs / 1000) + 1 });
  await ada.must('POST', '/api/auth/signin', account);
  expect(await limitOf(ada, 'projects')).toMatchObject({ consumed: 0, remaining: 3 });
  expect(wordOf(await ada.post('/api/projects', body))).toBe('201');
});

it('exports a file if the plan includes it, five times a day', async () => {
  const ada = await signUpPerson(url());
  const { id } = await newProject(ada);
  const title = '=1+1, "quoted"\nand more';
  const task = await ada.must('POST', '/api/tasks', { projectId: id, title, dueAt: '2026-01-02T03:04:05.678Z' });
  const exported = `/api/projects/${id}/export`;
  const refused = await ada.post(exported);
  expect(wordOf(refused)).toBe('403 FORBIDDEN');
  expect(refused.body.error).toMatchObject({ reason: 'plan_required', meta: { requiredPlans: ['pro', 'enterprise'] } });
  await choose(ada, 'pro');
  const response = await fetch(ada.browser.url + exported, {
    method: 'POST',
    headers: {
      cookie: [...ada.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      origin: ada.browser.url,
      'x-app-request': '1',
    },
  });
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="tasks-${id}.csv"`);
  const [head, ...lines] = (await response.text()).split('\r\n');
  expect(head).toBe('id,title,done,priority,assigneeId,dueAt,createdAt,updatedAt');
  const moments = `${String(task['createdAt'])},${String(task['updatedAt'])}`;
  const cells = `"'=1+1, ""quoted""\nand more",false,normal,,2026-01-02T03:04:05.678Z`;
  expect(lines).toEqual([`${task.id},${cells},${moments}`, '']);
  expect(await limitOf(ada, 'exports')).toMatchObject({ max: 5, consumed: 1 });
});

it('adds an add-on to the limit of its plan, and ignores it next to another plan', async () => {
  const ada = await signUpPerson(url());
  const addOns = `/api/organizations/${ada.workspaceId}/add-ons`;
  const attach = { addOn: 'extra-exports', attach: true };
  const refused = await ada.post(addOns, attach);
  expect([wordOf(refused), refused.body.error]).toMatchObject(['409 CONFLICT', { meta: { requiredPlans: ['pro'] } }]);
  await choose(ada, 'pro');
  expect(await ada.must('POST', addOns, attach)).toMatchObject({ addOns: [{ name: 'extra-exports', quantity: 1 }] });
  expect(await limitOf(ada, 'exports')).toMatchObject({ max: 15 });
  expect(await choose(ada, 'enterprise')).toMatchObject({ addOns: [], incompatible: ['extra-exports'] });
  expect(await limitOf(ada, 'exports')).toMatchObject({ max: 100 });
  expect(await limitOf(ada, 'projects'), 'unlimited').toBeUndefined();
  await ada.must('POST', addOns, { ...attach, attach: false });
  expect(await choose(ada, 'pro')).toMatchObject({ addOns: [], incompatible: [] });
  for (const body of [{}, { addOn: 'pro', attach: true }, { addOn: 'extra-exports', attach: 1 }]) {
    expect(wordOf(await ada.post(addOns, body))).toBe('400 VALIDATION_FAILED');
  }
  for (const plan of ['extra-exports', 'gold', '__proto__', null]) {
    expect(wordOf(await ada.post(`/api/organizations/${ada.workspaceId}/plan`, { plan }))).toBe(
      '400 VALIDATION_FAILED',
    );
  }
});
