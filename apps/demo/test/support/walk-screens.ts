import type { Page } from 'playwright-core';
import { inspectScreen, type Variant } from './inspect-screen.ts';
import { enter, openTab } from './open-page.ts';
import { type Person, signUpPerson } from './person.ts';
import { newAccount } from './accounts.ts';

/** A name that is longer than any screen is wide. */
const longName: string = `${'An extraordinarily long name '.repeat(8)}${'x'.repeat(60)}`;

/** A user with an organization that has a bit of everything, and an empty tab that they are signed in with. */
export interface Visit {
  readonly origin: string;
  readonly person: Person;
  readonly tab: Page;
  readonly console: readonly string[];
  /** The addresses of the screens, by names for pictures. */
  readonly screens: Readonly<Record<string, string>>;
}

/** Starts a demo and fills it. */
export async function visitFilledDemo(
  options: { readonly expecting?: RegExp; readonly variables?: Readonly<Record<string, string>> } = {},
): Promise<Visit> {
  const variables = { RATE_LIMIT_FACTOR: '1000', ...options.variables };
  const { origin, device, tab } = await openTab({ ...options, variables });
  const account = newAccount('ada');
  const person = await signUpPerson(origin, account);
  const ids = await fill(person);
  // Not the session of the person: of two that refresh the same one, the later would end it.
  await enter(tab, origin, 'signin', account);
  return { origin, person, tab, console: device.console, screens: listScreens(ids) };
}

/** What the screens are about. */
interface FilledIds {
  readonly projectId: string;
  readonly taskId: string;
  /** A project with a name as long as may be. */
  readonly longId: string;
}

async function fill(person: Person): Promise<FilledIds> {
  const organizationId = person.workspaceId;
  const project = await person.must('POST', '/api/projects', {
    organizationId,
    name: 'Website',
    description: 'All of it.',
  });
  const long = { organizationId, name: longName, description: longName };
  const { id: longId } = await person.must('POST', '/api/projects', long);
  const dueAt = '2020-01-01T00:00:00.000Z';
  const task = { projectId: project.id, title: longName, priority: 'high', assigneeId: person.id, dueAt };
  const { id: taskId } = await person.must('POST', '/api/tasks', task);
  await person.must('POST', '/api/tasks', { projectId: project.id, title: 'Publish', done: true });
  await person.must('POST', '/api/comments', { taskId, body: longName });
  await person.must('POST', '/api/notes', { title: longName, body: longName, pinned: true });
  await person.must('POST', '/api/documents', { title: longName, body: longName, shared: true });
  await person.must('POST', `/api/organizations/${organizationId}/invite`, {
    email: 'bob@example.com',
    role: 'member',
  });
  await person.must('POST', `/api/organizations/${organizationId}/create-link`, { role: 'member', maxUses: 5 });
  return { projectId: project.id, taskId, longId };
}

function listScreens({ projectId, taskId, longId }: FilledIds): Readonly<Record<string, string>> {
  const project = `/projects/${projectId}`;
  const question = new URLSearchParams({ entitlement: 'project:export', resource: `project:${projectId}` });
  return {
    home: '/',
    projects: '/projects',
    board: project,
    table: `${project}/table`,
    task: `${project}?task=${taskId}`,
    activity: `${project}/activity`,
    people: `${project}/people`,
    'project-settings': `${project}/settings`,
    'long-project-settings': `/projects/${longId}/settings`,
    notes: '/notes',
    documents: '/documents',
    vault: '/vault',
    organization: '/organization',
    'organization-members': '/organization/members',
    'organization-roles': '/organization/roles',
    'organization-plan': '/organization/plan',
    'organization-history': '/organization/history',
    'organization-danger': '/organization/danger',
    account: '/account',
    access: `/access?${question}`,
  };
}

/** Goes through all screens by links, and inspects each. */
export async function walkThroughScreens(visit: Visit, variants: readonly Variant[]): Promise<void> {
  await openScreen(visit, '/');
  for (const [name, path] of Object.entries(visit.screens)) {
    await followLink(visit.tab, path);
    await inspectScreen(visit.tab, `walk-${name}`, variants);
  }
}

/** Opens a screen, and waits until everything on it was read. */
export async function openScreen({ origin, tab }: Visit, path: string): Promise<void> {
  await tab.goto(origin + path);
  await untilRead(tab);
}

/** Goes to a screen by a link, without loading the page again, and waits until everything on it was read. */
export async function followLink(tab: Page, path: string): Promise<void> {
  await tab.evaluate((href) => {
    const link = document.createElement('a');
    link.href = href;
    document.body.append(link);
    link.click();
    link.remove();
  }, path);
  await tab.waitForFunction((href) => location.pathname + location.search === href, path);
  await untilRead(tab);
}

async function untilRead(tab: Page): Promise<void> {
  await tab.locator('h1:not(.unseen)').waitFor();
  await tab.waitForFunction(() => document.querySelector('.skeleton') === null);
}

/** The days of all moments on the screen, each once and in words. */
export async function daysOnScreen(tab: Page): Promise<readonly string[]> {
  const format = new Intl.DateTimeFormat('en', { dateStyle: 'full' });
  const moments = await tab
    .locator('main time')
    .evaluateAll((times) => times.map((time) => time.getAttribute('datetime') ?? ''));
  return [...new Set(moments.map((moment) => format.format(new Date(moment))))];
}
