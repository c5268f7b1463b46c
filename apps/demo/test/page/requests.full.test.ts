import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { mailedToken } from '../support/outbox.ts';
import { signUpPerson } from '../support/person.ts';
import { followLink, visitFilledDemo } from '../support/walk-screens.ts';

/** An interaction, and all that may be read after it. */
interface Interaction {
  readonly on: string;
  readonly act: (tab: Page) => Promise<unknown>;
  /** Of what the page has asked then, which line it has written. */
  readonly write: string;
  readonly reads: readonly string[];
}

const accessSet = 'GET /api/auth/access-set';

const button = (tab: Page, name: string | RegExp) => tab.getByRole('button', { name, exact: true });

const dialog = (tab: Page) => tab.getByRole('dialog').last();

/** Chooses something in the menu of something, and confirms it. */
async function confirm(tab: Page, of: string, action: string): Promise<void> {
  await button(tab, `More for ${of}`).last().click();
  await button(tab, action).click();
  await dialog(tab).getByRole('button', { name: action }).click();
}

/** Has proven their address, and so is a member of whatever they are invited to. */
const friend = newAccount('friend');

/** One write and at most one read: two only where it is not told which list somebody invited is in. */
const interactions: Readonly<Record<string, Interaction>> = {
  'complete a task at home': {
    on: 'home',
    act: (tab) => tab.getByRole('button', { name: /^Complete / }).click(),
    write: 'PATCH /api/tasks/:id',
    reads: [],
  },
  'add a task': {
    on: 'board',
    async act(tab) {
      await tab.getByLabel('Title').fill('Another');
      await button(tab, 'Add').click();
      await button(tab, 'Complete Another').waitFor();
    },
    write: 'POST /api/tasks',
    reads: ['GET /api/projects/:id'],
  },
  'complete a task': {
    on: 'board',
    act: (tab) => button(tab, 'Complete Another').click(),
    write: 'PATCH /api/tasks/:id',
    reads: [],
  },
  'change a task': {
    on: 'task',
    async act(tab) {
      await dialog(tab).getByLabel('Title').fill('Renamed');
      await dialog(tab).getByRole('button', { name: 'Save' }).click();
      await tab.getByRole('link', { name: 'Renamed' }).waitFor();
    },
    write: 'PATCH /api/tasks/:id',
    reads: [],
  },
  'comment on a task': {
    on: 'task',
    async act(tab) {
      await dialog(tab).getByRole('textbox', { name: 'Comment', exact: true }).fill('Well done');
      await tab.keyboard.press('Enter');
      await tab.getByText('Well done').waitFor();
    },
    write: 'POST /api/comments',
    reads: [],
  },
  'change a comment': {
    on: 'task',
    async act(tab) {
      await button(tab, 'More for Well done').click();
      await button(tab, 'Edit the comment').click();
      await dialog(tab).getByRole('textbox', { name: 'Edit the comment' }).fill('Very well done');
      await tab.keyboard.press('Enter');
      await tab.getByText('edited').waitFor();
    },
    write: 'PATCH /api/comments/:id',
    reads: [],
  },
  'delete a comment': {
    on: 'task',
    async act(tab) {
      await button(tab, 'More for Very well done').click();
      await button(tab, 'Delete the comment').click();
      await dialog(tab).getByRole('button', { name: 'Delete' }).click();
    },
    write: 'DELETE /api/comments/:id',
    reads: [],
  },
  'delete a task': {
    on: 'board',
    act: (tab) => confirm(tab, 'Another', 'Delete'),
    write: 'DELETE /api/tasks/:id',
    reads: [],
  },
  'complete tasks in a table': {
    on: 'table',
    async act(tab) {
      await tab.getByRole('row').getByRole('checkbox').last().check();
      await button(tab, 'Complete').click();
    },
    write: 'POST /api/tasks/bulk-complete',
    reads: ['POST /api/tasks/query'],
  },
  'share a project': {
    on: 'people',
    async act(tab) {
      await tab.getByLabel('E-mail address').fill('guest@example.com');
      await button(tab, 'Share').click();
    },
    write: 'POST /api/projects/:id/share',
    reads: ['POST /api/access/who'],
  },
  'take a note': {
    on: 'notes',
    async act(tab) {
      await tab.getByLabel('Title').fill('Noted');
      await tab.keyboard.press('Enter');
      await button(tab, 'Pin Noted').waitFor();
    },
    write: 'POST /api/notes',
    reads: ['POST /api/notes/query'],
  },
  'pin a note': {
    on: 'notes',
    act: (tab) => button(tab, 'Pin Noted').click(),
    write: 'PATCH /api/notes/:id',
    reads: ['POST /api/notes/query'],
  },
  'delete a note': {
    on: 'notes',
    act: (tab) => confirm(tab, 'Noted', 'Delete'),
    write: 'DELETE /api/notes/:id',
    reads: [],
  },
  'write a document': {
    on: 'documents',
    async act(tab) {
      await button(tab, 'New document').click();
      await dialog(tab).getByLabel('Title').fill('Written');
      await tab.keyboard.press('Enter');
      await tab.getByRole('switch', { name: /Written/ }).waitFor();
    },
    write: 'POST /api/documents',
    reads: ['POST /api/documents/query'],
  },
  'share a document': {
    on: 'documents',
    act: (tab) => tab.getByRole('switch', { name: /Written/ }).click(),
    write: 'PATCH /api/documents/:id',
    reads: ['POST /api/documents/query'],
  },
  'change a document': {
    on: 'documents',
    async act(tab) {
      await button(tab, 'More for Written').click();
      await button(tab, 'Edit').click();
      await dialog(tab).getByLabel('Title').fill('Rewritten');
      await tab.keyboard.press('Enter');
      await tab.getByRole('switch', { name: /Rewritten/ }).waitFor();
    },
    write: 'PATCH /api/documents/:id',
    reads: ['POST /api/documents/query'],
  },
  'delete a document': {
    on: 'documents',
    act: (tab) => confirm(tab, 'Rewritten', 'Delete'),
    write: 'DELETE /api/documents/:id',
    reads: [],
  },
  'create a project': {
    on: 'projects',
    async act(tab) {
      await button(tab, 'New project').click();
      await dialog(tab).getByLabel('Name').fill('Planned');
      await tab.keyboard.press('Enter');
      await tab.getByRole('link', { name: 'Planned' }).waitFor();
    },
    write: 'POST /api/projects',
    reads: [accessSet],
  },
  'archive a project': {
    on: 'projects',
    async act(tab) {
      await button(tab, 'More for Planned').click();
      await button(tab, 'Archive').click();
      await tab.getByText('The project is archived.').waitFor();
    },
    write: 'POST /api/projects/:id/archive',
    reads: [],
  },
  'delete a project': {
    on: 'projects',
    act: (tab) => confirm(tab, 'Website', 'Delete'),
    write: 'DELETE /api/projects/:id',
    reads: ['POST /api/tasks/aggregate'],
  },
  'rename a project': {
    on: 'long-project-settings',
    async act(tab) {
      await tab.getByRole('textbox', { name: 'Name', exact: true }).fill('Short');
      await button(tab, 'Save').click();
      await tab.getByRole('heading', { name: 'Short' }).waitFor();
    },
    write: 'PATCH /api/projects/:id',
    reads: [],
  },
  invite: {
    on: 'organization-members',
    async act(tab) {
      await tab.getByLabel('E-mail address').fill('new@example.com');
      await button(tab, 'Invite').click();
      await tab.getByText('new@example.com').waitFor();
    },
    write: 'POST /api/organizations/:id/invite',
    reads: ['GET /api/organizations/:id/invitations'],
  },
  'invite somebody who is a member at once': {
    on: 'organization-members',
    async act(tab) {
      await tab.getByLabel('E-mail address').fill(friend.email);
      await button(tab, 'Invite').click();
      await tab.getByRole('combobox', { name: `Role of ${friend.email}` }).waitFor();
    },
    write: 'POST /api/organizations/:id/invite',
    reads: ['GET /api/organizations/:id/invitations', 'GET /api/organizations/:id/members'],
  },
  'change a role': {
    on: 'organization-members',
    act: (tab) => tab.getByRole('combobox', { name: /^Role of colleague/ }).selectOption('admin'),
    write: 'POST /api/organizations/:id/set-role',
    reads: ['GET /api/organizations/:id/members'],
  },
  'revoke an invitation': {
    on: 'organization-members',
    async act(tab) {
      await button(tab, 'More for new@example.com').click();
      await button(tab, 'Take back').click();
    },
    write: 'POST /api/organizations/:id/revoke-invitation',
    reads: [],
  },
  'create a link': {
    on: 'organization-members',
    async act(tab) {
      await button(tab, 'Create a link').click();
      await dialog(tab).getByRole('button', { name: 'Create a link' }).click();
      await dialog(tab).getByText('/join?token=').waitFor();
      await tab.keyboard.press('Escape');
    },
    write: 'POST /api/organizations/:id/create-link',
    reads: ['GET /api/organizations/:id/links'],
  },
  'revoke a link': {
    on: 'organization-members',
    async act(tab) {
      await tab
        .getByRole('button', { name: /^Take back: / })
        .first()
        .click();
      await dialog(tab).getByRole('button', { name: 'Take back' }).click();
    },
    write: 'POST /api/organizations/:id/revoke-link',
    reads: [],
  },
  'remove a member': {
    on: 'organization-members',
    async act(tab) {
      await button(tab, /^More for colleague/).click();
      await button(tab, 'Remove from the organization').click();
      await dialog(tab).getByRole('button', { name: 'Remove' }).click();
    },
    write: 'POST /api/organizations/:id/set-role',
    reads: ['GET /api/organizations/:id/members'],
  },
  'rename the organization': {
    on: 'organization',
    async act(tab) {
      await tab.getByRole('textbox', { name: 'Name', exact: true }).fill('Renamed');
      await button(tab, 'Save').click();
      await tab.getByRole('button', { name: 'Organization: Renamed' }).waitFor();
    },
    write: 'PATCH /api/organizations/:id',
    reads: ['GET /api/auth/tenants'],
  },
  'change the plan': {
    on: 'organization-plan',
    act: (tab) => button(tab, /Pro/).click(),
    write: 'POST /api/organizations/:id/plan',
    reads: [accessSet],
  },
  'delete the last project': {
    on: 'projects',
    act: (tab) => confirm(tab, 'Short', 'Delete'),
    write: 'DELETE /api/projects/:id',
    reads: [],
  },
  'create the first project': {
    on: 'projects',
    async act(tab) {
      await button(tab, 'New project').click();
      await dialog(tab).getByLabel('Name').fill('First');
      await tab.keyboard.press('Enter');
      await tab.getByRole('link', { name: 'First' }).waitFor();
    },
    write: 'POST /api/projects',
    reads: [accessSet],
  },
  'sign a device out': {
    on: 'account',
    async act(tab) {
      await tab
        .getByRole('button', { name: /^Sign out / })
        .first()
        .click();
      await dialog(tab).getByRole('button', { name: 'Sign out' }).click();
    },
    write: 'DELETE /api/auth/sessions/:id',
    reads: ['GET /api/auth/events'],
  },
  'verify the address': {
    on: 'verify',
    async act(tab) {
      await button(tab, 'Verify the address').click();
      await tab.getByRole('heading', { name: 'verified' }).waitFor();
    },
    write: 'POST /api/auth/verify-email',
    reads: ['POST /api/auth/refresh'],
  },
  'change the address': {
    on: 'account',
    async act(tab) {
      await tab.locator('summary', { hasText: 'Change the address' }).click();
      await tab.getByLabel('New address').fill('other@example.com');
      await button(tab, 'Change the address').click();
    },
    write: 'POST /api/auth/change-email',
    reads: [],
  },
};

/** A session whose JWT lasts longer than the test, as each new one has the access set read. */
const variables = { SESSION_TTL: '1h' };

it('reads after each interaction at most what its response does not tell', { timeout: 240_000 }, async () => {
  const visit = await visitFilledDemo({ variables });
  const { tab, person, origin } = visit;
  const token = await mailedToken(origin, 'verification', person.email);
  const screens: typeof visit.screens = { ...visit.screens, verify: `/verify?token=${token}` };
  const colleague = await signUpPerson(origin, newAccount('colleague'));
  await person.must('POST', `/api/organizations/${person.workspaceId}/set-role`, {
    userId: colleague.id,
    role: 'member',
  });
  await (await signUpPerson(origin, friend)).verify();
  await delayNotices(tab);
  await tab.goto(origin);
  await tab.getByRole('heading', { name: 'Home' }).waitFor();
  const asked = recordRequests(tab);
  const unexpected: string[] = [];
  for (const [name, { on, act, write, reads }] of Object.entries(interactions)) {
    const path = screens[on] ?? '';
    // The link of a mail opens the page anew.
    await (on === 'verify' ? tab.goto(origin + path) : followLink(tab, path));
    await quiet(asked);
    asked.length = 0;
    await act(tab);
    await expect.poll(() => asked).toContain(write);
    await quiet(asked);
    const others = asked.filter((line) => line !== write && !reads.includes(line));
    unexpected.push(...[...new Set(others)].map((line) => `${name}: ${line}`));
  }
  expect(unexpected).toEqual([]);
});

/** How late a page hears of changes: after the response to the write, and after what is read then. */
const delayMs = 500;

/** Has the pages of a tab hear of changes later, at a time that does not depend on the machine. */
async function delayNotices(tab: Page): Promise<void> {
  await tab.context().addInitScript((delay) => {
    const add: unknown = Reflect.get(EventSource.prototype, 'addEventListener');
    Object.assign(EventSource.prototype, {
      addEventListener(type: string, listener: (event: Event) => void) {
        const later = (event: Event): void => void setTimeout(() => listener(event), delay);
        if (typeof add === 'function') Reflect.apply(add, this, [type, later]);
      },
    });
  }, delayMs);
}

/** Records what a tab asks of the server, without ids. */
function recordRequests(tab: Page): string[] {
  const asked: string[] = [];
  tab.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) {
      asked.push(`${request.method()} ${pathname.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, ':id')}`);
    }
  });
  return asked;
}

/** Waits until nothing was asked for as long as notices take, and more. */
async function quiet(asked: readonly string[]): Promise<void> {
  for (let before = -1; before !== asked.length;) {
    before = asked.length;
    await new Promise((resolve) => void setTimeout(resolve, 2 * delayMs));
  }
}
