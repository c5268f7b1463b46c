import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { enter, openTab, outdatedJwt, refusals, signOut, signUp, switchOrganization } from '../support/open-page.ts';
import { mailedToken, waitForMails } from '../support/outbox.ts';
import { signUpPerson } from '../support/person.ts';
import { openScreen, visitFilledDemo } from '../support/walk-screens.ts';

it('stays where it is scrolled when a task is completed, and takes that back on demand', async () => {
  const visit = await visitFilledDemo();
  const { person, tab, screens } = visit;
  const [{ id: projectId }] = (await person.must('GET', '/api/projects?where[name]=Website'))['items'] as [
    { id: string },
  ];
  for (let number = 0; number < 20; number += 1) {
    await person.must('POST', '/api/tasks', { projectId, title: `Task ${number}` });
  }
  await openScreen(visit, screens['board'] ?? '');
  const complete = tab.getByRole('button', { name: 'Complete Task 4' });
  await complete.scrollIntoViewIfNeeded();
  const before = await tab.evaluate(() => scrollY);
  expect(before).toBeGreaterThan(100);
  await complete.click();
  await tab.getByRole('button', { name: 'Reopen Task 4' }).waitFor();
  // The browser keeps what is in sight where it is, if what is above has changed by a line.
  expect(Math.abs((await tab.evaluate(() => scrollY)) - before)).toBeLessThan(50);
  expect(await tab.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Complete Task/);
  await tab.getByRole('button', { name: 'Undo' }).click();
  await complete.waitFor();
});

it('keeps a notice while it is pointed at, so that there is time to take back what it says', async () => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await tab.clock.install();
  await openScreen(visit, screens['board'] ?? '');
  await tab.getByRole('button', { name: 'Reopen Publish' }).click();
  const undo = tab.getByRole('button', { name: 'Undo' });
  await undo.hover();
  await tab.clock.fastForward(60_000);
  expect(await undo.isVisible()).toBe(true);
  await tab.getByRole('heading', { level: 1 }).hover();
  await tab.clock.fastForward(9000);
  await undo.waitFor({ state: 'detached' });
});

it('ends a notice with its screen, unless it can be taken back from the next one', async () => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await tab.clock.install();
  await openScreen(visit, '/organization');
  await tab.getByLabel('Short name').fill('short');
  await tab.getByRole('button', { name: 'Save' }).click();
  await tab.getByText('Saved.').waitFor();
  await tab.getByRole('link', { name: 'Notes' }).click();
  await tab.getByRole('heading', { name: 'Notes' }).waitFor();
  expect(await tab.getByText('Saved.').count()).toBe(0);

  await openScreen(visit, screens['board'] ?? '');
  await tab.getByRole('button', { name: 'Reopen Publish' }).click();
  await tab.getByText('Publish is open again.').waitFor();
  await tab.getByRole('link', { name: 'Notes' }).click();
  await tab.getByRole('heading', { name: 'Notes' }).waitFor();
  await tab.getByRole('button', { name: 'Undo' }).click();
  await tab.goBack();
  await tab.getByRole('button', { name: 'Reopen Publish' }).waitFor();
});

it('counts tasks as the server does, however many there are', async () => {
  const visit = await visitFilledDemo();
  const { person, tab, screens } = visit;
  const [{ id: projectId }] = (await person.must('GET', '/api/projects?where[name]=Website'))['items'] as [
    { id: string },
  ];
  await person.must('POST', `/api/organizations/${person.workspaceId}/plan`, { plan: 'enterprise' });
  const tasks = Array.from({ length: 110 }, (_, number) => JSON.stringify({ projectId, title: `Task ${number}` }));
  const headers = { 'content-type': 'application/x-ndjson' };
  await person.browser.send('/api/tasks/import', { method: 'POST', body: tasks.join('\n'), headers });
  await openScreen(visit, screens['board'] ?? '');
  const toDo = tab.getByRole('region', { name: 'To do' });
  expect(await toDo.getByRole('heading').textContent()).toBe('To do 111');
  await toDo.getByRole('button', { name: 'Show more' }).click();
  await toDo.getByText('Task 109').waitFor();
  await openScreen(visit, screens['table'] ?? '');
  await tab.getByText('112 tasks').waitFor();
  await tab.getByRole('searchbox', { name: 'Search tasks' }).fill('task 10');
  await tab.getByText('11 tasks').waitFor();
  expect(tab.url()).toContain('search=task+10');
});

it('never tells an owner that their role is not enough while access is unknown', async () => {
  const visit = await visitFilledDemo();
  const { tab } = visit;
  const held = Promise.withResolvers<void>();
  await tab.route('**/api/auth/access-set', async (route) => {
    await held.promise;
    await route.continue();
  });
  await openScreen(visit, '/projects');
  const create = tab.getByRole('button', { name: 'New project' });
  expect(await create.getAttribute('aria-disabled')).toBe('true');
  expect(await tab.getByText(/role/).count()).toBe(0);
  held.resolve();
  await expect.poll(() => create.getAttribute('aria-disabled'), { timeout: 30_000 }).toBe('false');
});

it('shows what its user asked for while another organization is being switched to', async () => {
  const { origin, person, tab } = await visitFilledDemo({ expecting: outdatedJwt });
  await person.must('POST', '/api/organizations', { name: 'Second' });
  await tab.goto(origin);
  const held = Promise.withResolvers<void>();
  await tab.route('**/api/auth/switch-tenant', async (route) => {
    await held.promise;
    await route.continue();
  });
  const switched = tab.waitForResponse('**/api/auth/switch-tenant');
  await switchOrganization(tab, 'Second');
  await tab.getByRole('link', { name: 'Projects', exact: true }).click();
  await tab.getByRole('heading', { name: 'Projects' }).waitFor();
  held.resolve();
  await switched;
  await tab.getByRole('button', { name: 'Organization: Second' }).waitFor();
  await tab.getByRole('heading', { name: 'Projects' }).waitFor();
  expect(new URL(tab.url()).pathname).toBe('/projects');
});

it('asks before an action that cannot be undone, and does nothing where the answer is no', async () => {
  const visit = await visitFilledDemo();
  const { tab } = visit;
  await openScreen(visit, '/projects');
  await tab.getByRole('button', { name: 'More for Website' }).click();
  await tab.getByRole('button', { name: 'Delete' }).click();
  await tab.getByRole('dialog').waitFor();
  expect(await tab.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
  await tab.keyboard.press('Enter');
  await tab.getByRole('dialog').waitFor({ state: 'detached' });
  await tab.getByRole('link', { name: 'Website' }).waitFor();
  await expect
    .poll(() => tab.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('More for Website');
});

it('refuses a name of spaces, in words for people', async () => {
  const visit = await visitFilledDemo({ expecting: refusals });
  const { tab } = visit;
  await openScreen(visit, '/projects');
  await tab.getByRole('button', { name: 'New project' }).click();
  await tab.getByLabel('Name', { exact: true }).fill('   ');
  await tab.getByRole('button', { name: 'Create the project' }).click();
  await tab.getByText('This is too short.').waitFor();
  expect(await tab.getByText('Invalid').count()).toBe(0);
});

it('offers a second factor to those who have none, instead of asking them for a code', async () => {
  const { origin, tab } = await openTab();
  await enter(tab, origin, 'signup', newAccount());
  await tab.goto(`${origin}/vault`);
  await tab.getByRole('link', { name: 'Set up a second factor' }).waitFor();
  expect(await tab.getByLabel('Code').count()).toBe(0);
  await tab.getByRole('link', { name: 'Set up a second factor' }).click();
  await tab.getByRole('heading', { name: 'Account', exact: true }).waitFor();
});

it('returns to where the visitor was in a list with Back', async () => {
  const visit = await visitFilledDemo();
  const { tab, person } = visit;
  for (let number = 0; number < 40; number += 1)
    await person.must('POST', '/api/notes', { title: `${number}`, body: 'x' });
  await openScreen(visit, '/notes');
  await tab.getByText('Yours alone').waitFor();
  await tab.evaluate(() => scrollTo(0, 900));
  await tab.getByRole('link', { name: 'Home', exact: true }).evaluate((link: HTMLElement) => link.click());
  await tab.getByRole('heading', { name: 'Home' }).waitFor();
  await tab.goBack();
  await tab.getByRole('heading', { name: 'Notes' }).waitFor();
  await expect.poll(() => tab.evaluate(() => scrollY), { timeout: 30_000 }).toBe(900);
});

it('leads from a closed task to where it was opened, and from there on with the next Back', async () => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await openScreen(visit, '/projects');
  await tab.getByRole('link', { name: 'Website' }).click();
  const task = tab.getByRole('link', { name: 'Publish' });
  await task.click();
  // The code of the panel is loaded now, and the board stays in sight and keeps the focus meanwhile.
  await tab.getByRole('dialog', { name: 'Task' }).getByLabel('Labels').waitFor();
  await tab.keyboard.press('Escape');
  await expect.poll(() => new URL(tab.url()).search).toBe('');
  await expect.poll(() => task.evaluate((link) => link === document.activeElement)).toBe(true);
  await tab.goBack();
  await tab.getByRole('heading', { name: 'Projects' }).waitFor();

  // Nothing of the page comes before a task that a link of elsewhere has opened.
  await openScreen(visit, screens['task'] ?? '');
  await tab.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => tab.url()).toBe(visit.origin + screens['board']);
});

it('keeps what is typed into settings while somebody else changes others, and saves nothing but that', async () => {
  const visit = await visitFilledDemo();
  const { tab, person, screens } = visit;
  const projectId = screens['board']?.split('/')[2] ?? '';
  for (const [screen, path] of [
    ['organization', `/api/organizations/${person.workspaceId}`],
    ['project-settings', `/api/projects/${projectId}`],
  ] as const) {
    await openScreen(visit, screens[screen] ?? '');
    await tab.getByLabel('Short name').fill(`short-${screen}`);
    await person.must('PATCH', path, { name: `Renamed ${screen}` });
    // The name shows elsewhere that the change has arrived.
    await tab.locator('.sidebar, h1').getByText(`Renamed ${screen}`).first().waitFor();
    expect(await tab.getByLabel('Short name').inputValue()).toBe(`short-${screen}`);
    await tab.getByRole('button', { name: 'Save' }).click();
    await tab.getByText('Saved.').waitFor();
    expect(await person.must('GET', path)).toMatchObject({ name: `Renamed ${screen}`, slug: `short-${screen}` });
    await expect.poll(() => tab.getByLabel('Name', { exact: true }).inputValue()).toBe(`Renamed ${screen}`);
  }
});

it('shows in an open task what somebody else changes, and saves nothing but what was typed', async () => {
  const visit = await visitFilledDemo();
  const { tab, person, screens } = visit;
  await openScreen(visit, screens['task'] ?? '');
  const form = tab.getByRole('form', { name: 'Task', exact: true });
  const taskPath = `/api/tasks/${new URL(tab.url()).searchParams.get('task') ?? ''}`;
  await form.getByLabel('Labels').fill('web');
  for (const [title, priority, status] of [
    ['Theirs', 'low', 'false'],
    ['Theirs again', 'normal', 'true'],
  ] as const) {
    await person.must('PATCH', taskPath, { title, priority, done: status === 'true' });
    await expect.poll(() => form.getByLabel('Title').inputValue()).toBe(title);
    expect(await form.getByLabel('Priority').inputValue()).toBe(priority);
    expect(await form.getByLabel('Status').inputValue()).toBe(status);
    expect(await form.getByLabel('Labels').inputValue()).toBe('web');
  }
  await form.getByRole('button', { name: 'Save' }).click();
  await tab.getByText('Saved.').waitFor();
  expect(await person.must('GET', taskPath)).toMatchObject({ title: 'Theirs again', done: true, labels: ['web'] });
  // What was saved is no longer touched.
  await person.must('PATCH', taskPath, { labels: ['app'] });
  await expect.poll(() => form.getByLabel('Labels').inputValue()).toBe('app');
});

it('leads from an organization that its user was removed from to where they still have something', async () => {
  const visit = await visitFilledDemo({ expecting: /status of 40[134]/ });
  const { origin, tab, person } = visit;
  const owner = await signUpPerson(origin);
  const setRole = (role: string | null) =>
    owner.must('POST', `/api/organizations/${owner.workspaceId}/set-role`, { userId: person.id, role });
  await setRole('member');
  const { id } = await owner.must('POST', '/api/projects', { organizationId: owner.workspaceId, name: 'Theirs' });
  await tab.goto(origin);
  const name = `${owner.email.split('@')[0]}'s workspace`;
  await switchOrganization(tab, name);
  await tab.getByRole('button', { name: `Organization: ${name}` }).waitFor();
  await openScreen(visit, `/projects/${id}`);
  await setRole(null);
  await tab.getByText(`You no longer belong to ${name}`).waitFor();
  await tab.getByRole('button', { name: `Organization: ${person.email.split('@')[0]}'s workspace` }).waitFor();
  await tab.getByRole('heading', { name: 'Home' }).waitFor();
  expect(new URL(tab.url()).pathname).toBe('/');
});

it('leads every tab from an organization that was left in one of them', async () => {
  const visit = await visitFilledDemo({ expecting: /status of 40[134]/ });
  const { origin, tab, person } = visit;
  const owner = await signUpPerson(origin);
  const userId = person.id;
  await owner.must('POST', `/api/organizations/${owner.workspaceId}/set-role`, { userId, role: 'member' });
  const { id } = await owner.must('POST', '/api/projects', { organizationId: owner.workspaceId, name: 'Theirs' });
  await tab.goto(origin);
  const name = `${owner.email.split('@')[0]}'s workspace`;
  await switchOrganization(tab, name);
  await tab.getByRole('button', { name: `Organization: ${name}` }).waitFor();
  const other = await tab.context().newPage();
  await openScreen({ ...visit, tab: other }, `/projects/${id}`);
  await openScreen(visit, '/organization/danger');
  await tab.getByRole('button', { name: 'Leave the organization' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Leave the organization' }).click();
  await tab.getByText('You have left the organization.').waitFor();
  await other.getByText(`You no longer belong to ${name}`).waitFor();
  await other.getByRole('heading', { name: 'Home' }).waitFor();
  expect(await tab.getByText('You no longer belong').count()).toBe(0);
});

it('does once what is asked for by a double click', async () => {
  const visit = await visitFilledDemo();
  const { tab, person } = visit;
  await openScreen(visit, '/documents');
  await tab.getByRole('button', { name: 'New document' }).dblclick();
  const dialog = tab.getByRole('dialog', { name: 'New document' });
  await dialog.getByLabel('Title').fill('Minutes');
  await dialog.getByLabel('Text').fill('Nobody came.');
  await dialog.getByRole('button', { name: 'Add the document' }).dblclick();
  await dialog.waitFor({ state: 'detached' });
  await tab.getByRole('heading', { name: 'Minutes' }).waitFor();
  expect((await person.must('GET', '/api/documents?where[title]=Minutes'))['items']).toHaveLength(1);

  await tab.getByRole('button', { name: 'More for Minutes' }).click();
  await tab.getByRole('button', { name: 'Delete' }).dblclick();
  const question = tab.getByRole('dialog', { name: 'Delete Minutes' });
  await question.waitFor();
  await question.getByRole('button', { name: 'Delete' }).dblclick();
  await tab.getByText('Minutes is deleted.').waitFor();
});

it('leads an invited person through signing up into the organization', async () => {
  const { origin, tab } = await openTab({ expecting: outdatedJwt });
  const ada = await signUpPerson(origin);
  const guest = newAccount('guest');
  await ada.must('POST', `/api/organizations/${ada.workspaceId}/invite`, { email: guest.email, role: 'admin' });
  const [mail] = await waitForMails(origin, { kind: 'invitation', to: guest.email, count: 1 });
  await tab.goto(mail?.url ?? '');
  const workspace = `${ada.email.split('@')[0]}'s workspace`;
  await tab.getByText(`${ada.email} invites you to ${workspace}, as admin.`).waitFor();
  await tab.getByRole('link', { name: 'Create an account' }).click();
  await tab.getByLabel('E-mail address').fill(guest.email);
  await tab.getByLabel('Password').fill(guest.password);
  await tab.getByRole('button', { name: 'Sign up' }).click();
  await tab.getByRole('button', { name: `Join ${workspace}` }).click();
  await tab.getByRole('heading', { name: 'Home' }).waitFor();
  await tab.getByRole('button', { name: `Organization: ${workspace}` }).waitFor();
  const { members } = await ada.must('GET', `/api/organizations/${ada.workspaceId}/members`);
  expect(members).toContainEqual(expect.objectContaining({ email: guest.email, role: 'admin' }));
});

it('says that nothing was linked where a signed-in user cancels', async () => {
  const { origin, tab } = await openTab();
  await enter(tab, origin, 'signup', newAccount());
  await tab.goto(`${origin}/account`);
  await tab.getByRole('button', { name: 'Link GitHub' }).click();
  await tab.getByRole('button', { name: 'Cancel' }).click();
  await tab.getByRole('heading', { name: 'Nothing was linked' }).waitFor();
  expect(await tab.getByText('not signed in').count()).toBe(0);
  await tab.getByRole('link', { name: 'Back to your account' }).click();
  await tab.getByRole('heading', { name: 'Account', exact: true }).waitFor();
});

it('takes no tasks into an archived project, neither by the page nor by the API', async () => {
  const visit = await visitFilledDemo();
  const { tab, person, screens } = visit;
  const projectId = screens['board']?.split('/')[2] ?? '';
  await person.must('POST', `/api/projects/${projectId}/archive`);
  const refused = await person.post('/api/tasks', { projectId, title: 'Late' });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
  await openScreen(visit, screens['board'] ?? '');
  await tab.getByText('It takes no new tasks').waitFor();
  expect(await tab.getByRole('button', { name: 'Add', exact: true }).count()).toBe(0);
  await tab.getByRole('button', { name: 'Take out of the archive' }).click();
  await tab.getByRole('button', { name: 'Add', exact: true }).waitFor();
});

it('lets the user decide where another user has changed the same task', async () => {
  const visit = await visitFilledDemo({ expecting: refusals });
  const { tab, person, screens } = visit;
  await openScreen(visit, screens['task'] ?? '');
  const form = tab.getByRole('form', { name: 'Task', exact: true });
  await form.getByLabel('Title').fill('Mine');
  const taskId = new URL(tab.url()).searchParams.get('task') ?? '';
  await person.must('PATCH', `/api/tasks/${taskId}`, { title: 'Theirs' });
  await form.getByRole('button', { name: 'Save' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Somebody else has changed this task' });
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await person.must('GET', `/api/tasks/${taskId}`))['title']).toBe('Mine');
});

it('goes to a project by the command palette, with the keyboard alone', async () => {
  const visit = await visitFilledDemo();
  const { tab } = visit;
  await openScreen(visit, '/');
  await tab.keyboard.press('Control+k');
  const [input, option] = [tab.getByRole('combobox'), tab.getByRole('option', { name: 'Project Website' })];
  await input.fill('web');
  await option.waitFor();
  // A result of the palette can be chosen before the server has answered for the newest text.
  await tab.route('**/api/projects/query', (route) =>
    route.request().postData()?.includes('webs') ? undefined : route.continue(),
  );
  const asked = tab.waitForRequest((request) => request.postData()?.includes('webs') === true);
  await input.fill('webs');
  await asked;
  expect(await option.count()).toBe(1);
  await tab.keyboard.press('Enter');
  await tab.getByRole('heading', { name: 'Website' }).waitFor();
  await expect.poll(() => tab.evaluate(() => document.activeElement?.textContent), { timeout: 30_000 }).toBe('Website');
});

it('explains on the entry why a session has ended, and returns to where it did', async () => {
  const { origin, tab } = await openTab({ expecting: refusals });
  const account = newAccount();
  await enter(tab, origin, 'signup', account);
  await tab.goto(`${origin}/notes`);
  await tab.getByRole('heading', { name: 'Notes' }).waitFor();
  const other = await tab.context().newPage();
  await other.goto(`${origin}/projects`);
  await signOut(other);
  await tab.getByText('You were signed out').waitFor();
  expect(await other.getByText('You were signed out').count()).toBe(0);
  await tab.getByLabel('E-mail address').fill(account.email);
  await tab.getByLabel('Password').fill(account.password);
  await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
  await tab.getByRole('heading', { name: 'Notes' }).waitFor();
});

it('keeps where the visitor was going through creating an account and its mail', async () => {
  const { origin, tab } = await openTab();
  const account = newAccount();
  await tab.goto(`${origin}/organization/plan`);
  await signUp(tab, account);
  await tab.getByRole('heading', { name: 'Plan and usage' }).waitFor();
  expect(await mailedToken(origin, 'verification', account.email)).not.toBe('');
});

it('leads who is signed in from the entry to where they were going', async () => {
  const { origin, tab } = await openTab();
  await enter(tab, origin, 'signup', newAccount());
  for (const [address, heading, path] of [
    ['/sign-in', 'Home', '/'],
    ['/sign-up', 'Home', '/'],
    ['/forgot-password', 'Home', '/'],
    ['/sign-up?to=%2Fnotes', 'Notes', '/notes'],
    ['/sign-up?to=%2Fsign-up', 'Home', '/'],
  ] as const) {
    await tab.goto(origin + address);
    await tab.getByRole('heading', { name: heading }).waitFor();
    expect(tab.url()).toBe(origin + path);
    await tab.locator('[aria-current="page"]').getByText(heading).waitFor();
  }
});
