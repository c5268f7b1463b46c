import { expect, it } from 'vitest';
import { inspectScreen, tightest } from '../support/inspect-screen.ts';
import { openScreen, visitFilledDemo, type Visit } from '../support/walk-screens.ts';

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
  expect(await titles.allTextContents()).toEqual(['Write the guide']);

  await query.fill('the');
  await tab.getByText('3 tasks, 3.5 h estimated').waitFor();
  await tab.getByRole('combobox', { name: 'Priority' }).selectOption('high');
  await tab.getByRole('combobox', { name: 'Assignee' }).selectOption('none');
  await tab.getByText('One task, 1.5 h estimated').waitFor();
  expect(await query.inputValue()).toBe('assignee:none priority:high the');

  await query.fill('due:>2026-12-01 owner:ada is:late');
  await tab.getByText('“owner:ada” is not understood. Write is:, priority:').waitFor();
  await tab.getByText('“is:late” is not understood. Write is:open or is:done.').waitFor();
  expect(await titles.allTextContents()).toEqual(['Read the guide']);
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
});
