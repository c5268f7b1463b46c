import { expect, it } from 'vitest';
import { inspectScreen, tightest } from '../support/inspect-screen.ts';
import { refusals } from '../support/open-page.ts';
import { daysOnScreen, openScreen, visitFilledDemo, type Visit } from '../support/walk-screens.ts';

/** Adds a few tasks to the project. */
async function addTasks({ person, screens }: Visit): Promise<void> {
  const projectId = screens['board']?.split('/')[2] ?? '';
  for (const [title, more] of Object.entries({
    'Write the guide': { priority: 'high', labels: ['web', 'two words'], estimate: '1.50' },
    'Write the letter': { priority: 'high', assigneeId: person.id, estimate: '2.00' },
    'Read the guide': { dueAt: '2026-12-24T12:00:00.000Z', labels: ['web'] },
  })) {
    await person.must('POST', '/api/tasks', { projectId, title, ...more });
  }
}

it('finds tasks by a query, which choices write, and says which term it does not understand', async () => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await addTasks(visit);
  await openScreen(visit, screens['table'] ?? '');
  const query = tab.getByRole('searchbox', { name: 'Search tasks' });
  const titles = tab.getByRole('row').getByRole('link');
  await query.fill('write label:"two words"');
  await tab.getByText('One task, 1.5 h estimated').waitFor();
  await expect.poll(() => titles.allTextContents()).toEqual(['Write the guide']);

  await query.fill('the');
  await tab.getByText('3 tasks, 3.5 h estimated').waitFor();
  await tab.getByRole('combobox', { name: 'Priority' }).selectOption('high');
  await tab.getByRole('combobox', { name: 'Assignee' }).selectOption('none');
  await tab.getByText('One task, 1.5 h estimated').waitFor();
  expect(await query.inputValue()).toBe('assignee:none priority:high the');

  await query.fill('due:>2026-12-01 owner:ada is:late');
  await tab.getByText('“owner:ada” is not understood. Write is:, priority:').waitFor();
  await tab.getByText('“is:late” is not understood. Write is:open or is:done.').waitFor();
  await expect.poll(() => titles.allTextContents()).toEqual(['Read the guide']);
  await inspectScreen(tab, 'table-misunderstood', tightest);
  expect(visit.console).toEqual([]);
});

it('shows the columns that are chosen, and keeps them in the address', async () => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await addTasks(visit);
  await openScreen(visit, screens['table'] ?? '');
  await tab.getByRole('button', { name: 'Columns' }).click();
  await tab.getByRole('checkbox', { name: 'Labels' }).check();
  for (const name of ['Status', 'Assignee']) await tab.getByRole('checkbox', { name, exact: true }).uncheck();
  await inspectScreen(tab, 'table-columns', tightest);
  await tab.reload();
  await tab.getByRole('cell', { name: 'web, two words' }).waitFor();
  expect(await tab.getByRole('columnheader').allTextContents()).toEqual([
    '',
    'Title ',
    'Priority',
    'Due ',
    'Labels',
    'Changed ',
  ]);
});

it('prints all tasks of the table, and an open task without what is behind it', async () => {
  const visit = await visitFilledDemo();
  const { tab, person, screens } = visit;
  const projectId = screens['board']?.split('/')[2] ?? '';
  const tasks = Array.from({ length: 40 }, (_, number) => JSON.stringify({ projectId, title: `Task ${number}` }));
  const headers = { 'content-type': 'application/x-ndjson' };
  await person.browser.send('/api/tasks/import', { method: 'POST', body: tasks.join('\n'), headers });
  await openScreen(visit, screens['table'] ?? '');
  const titles = tab.getByRole('cell').getByRole('link');
  await titles.first().waitFor();
  expect(await titles.count()).toBeLessThan(40);
  await tab.evaluate(() =>
    addEventListener('beforeprint', () => {
      document.body.dataset['printed'] = `${document.querySelectorAll('tbody a').length}`;
    }),
  );
  await tab.pdf();
  expect(await tab.locator('body').getAttribute('data-printed')).toBe('42');
  await expect.poll(() => titles.count()).toBeLessThan(40);

  await titles.last().click();
  const panel = tab.getByRole('dialog', { name: 'Task' });
  await panel.getByLabel('Labels').waitFor();
  await tab.emulateMedia({ media: 'print' });
  const shown = [tab.locator('h1'), panel.getByLabel('Labels'), panel.getByRole('button', { name: 'Save' })];
  expect(await Promise.all(shown.map((each) => each.isVisible()))).toEqual([false, true, false]);
});

it('says on the tile of a project how many of its tasks are open and done', async () => {
  const visit = await visitFilledDemo();
  await addTasks(visit);
  await openScreen(visit, '/projects');
  const tile = visit.tab.getByRole('listitem').filter({ has: visit.tab.getByRole('link', { name: 'Website' }) });
  await tile.getByText('4 open, 1 done').waitFor();
  await visit.person.must('POST', '/api/tasks', {
    projectId: visit.screens['board']?.split('/')[2],
    title: 'One more',
  });
  await tile.getByText('5 open, 1 done').waitFor();
  expect(visit.console).toEqual([]);
});

it('opens a task in its title, saves by Enter, and deletes it from the panel', async () => {
  const visit = await visitFilledDemo({ expecting: refusals });
  const { tab, screens } = visit;
  await openScreen(visit, screens['board'] ?? '');
  await tab.getByRole('link', { name: 'Publish' }).click();
  const panel = tab.getByRole('dialog', { name: 'Task' });
  const title = panel.getByLabel('Title');
  await expect.poll(() => title.evaluate((field) => field === document.activeElement)).toBe(true);
  await title.fill('Publish it');
  await title.press('Enter');
  await tab.getByRole('link', { name: 'Publish it' }).waitFor();
  expect(await title.evaluate((field) => field === document.activeElement)).toBe(true);

  await panel.getByLabel('Comment', { exact: true }).fill('Where?');
  await panel.getByLabel('Comment', { exact: true }).press('Enter');
  await panel.getByRole('button', { name: 'More for Where?' }).click();
  await panel.getByRole('button', { name: 'Edit the comment' }).click();
  await panel.getByRole('textbox', { name: 'Edit the comment' }).fill('When?');
  await panel.getByRole('textbox', { name: 'Edit the comment' }).press('Enter');
  await panel.getByRole('button', { name: 'More for When?' }).waitFor();

  await panel.getByRole('button', { name: 'More for Publish it' }).click();
  await inspectScreen(tab, 'task-menu', tightest);
  await panel.getByRole('button', { name: 'Delete', exact: true }).click();
  await tab.getByRole('dialog', { name: 'Delete Publish it' }).getByRole('button', { name: 'Delete' }).click();
  await panel.waitFor({ state: 'detached' });
  await tab.getByRole('link', { name: 'Publish it' }).waitFor({ state: 'detached' });
});

it('reads at most one list again after a change of a task, and nothing of what its user may do', async () => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await addTasks(visit);
  await openScreen(visit, screens['board'] ?? '');
  const toDo = tab.getByRole('region', { name: 'To do' });
  await toDo.getByRole('heading', { name: 'To do 4' }).waitFor();
  const asked: string[] = [];
  tab.on('request', (request) => asked.push(`${new URL(request.url()).pathname} ${request.postData()}`));
  for (const [action, left] of [
    ['Complete Read the guide', 3],
    ['Reopen Read the guide', 4],
  ] as const) {
    await tab.getByRole('button', { name: action }).click();
    await toDo.getByRole('heading', { name: `To do ${left}` }).waitFor();
  }
  const lists = asked.filter((request) => request.startsWith('/api/tasks/query'));
  // The notice of a change may come long before the response on a busy machine, and has the list read again.
  expect(new Set(lists).size).toBeLessThan(2);
  expect(asked.filter((request) => request.includes('access-set'))).toEqual([]);
});

it('tells what has happened in a project, day by day, and who has commented', async () => {
  const visit = await visitFilledDemo();
  const { tab, person, screens } = visit;
  await addTasks(visit);
  await openScreen(visit, screens['activity'] ?? '');
  const activity = tab.getByRole('region', { name: 'Activity' });
  await activity.getByText('Read the guide was added').waitFor();
  await activity.getByText(`${person.email} commented on An extraordinarily long name`).waitFor();
  expect(await activity.getByRole('listitem').count()).toBe(6);
  expect(await activity.getByRole('heading').allTextContents()).toEqual(await daysOnScreen(tab));
});
