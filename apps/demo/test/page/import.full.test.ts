import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { inspectScreen } from '../support/inspect-screen.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { openScreen, visitFilledDemo, type Visit } from '../support/walk-screens.ts';

it(
  'imports tasks from a file, names the lines that are refused, and takes what it exports',
  { timeout: 180_000 },
  async () => {
    const visit = await visitFilledDemo();
    const dialog = await openImport(visit);
    const lines = ['Write', '{"title":"Read","priority":"high","labels":["book"]}', '', '{"title":""}', '{"title":'];
    await choose(dialog, lines);
    await dialog.getByText('2 added, 2 refused').waitFor();
    await inspectScreen(visit.tab, 'import');
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^Line 4/),
      expect.stringMatching(/^Line 5/),
    ]);

    const [download] = await Promise.all([
      visit.tab.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download the tasks in this form' }).click(),
    ]);
    const file = join(makeFolder(), download.suggestedFilename());
    await download.saveAs(file);
    const exported = (await readFile(file, 'utf8')).trim().split('\n');
    expect(
      exported
        .map((line) => (JSON.parse(line) as { title: string }).title)
        .slice(0)
        .toSorted(),
    ).toEqual(expect.arrayContaining(['Publish', 'Read', 'Write']));
    await choose(dialog, exported);
    await dialog.getByText('4 added').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const toDo = visit.tab.getByRole('region', { name: 'To do' });
    await expect.poll(() => toDo.getByRole('heading').textContent()).toBe('To do 6');
    expect(visit.console).toEqual([]);
  },
);

it('goes on with a long import where it was interrupted', { timeout: 180_000 }, async () => {
  const visit = await visitFilledDemo({ expecting: /net::ERR_FAILED/ });
  await upgrade(visit);
  const dialog = await openImport(visit);
  let parts = 0;
  await visit.tab.route('**/api/tasks/import*', (route) => ((parts += 1) === 2 ? route.abort() : route.fallback()));
  await choose(
    dialog,
    Array.from({ length: 1500 }, (_, number) => `Task ${number} ${'x'.repeat(40)}`),
  );
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('1500 added').waitFor();
  expect(parts).toBeGreaterThan(2);
  const counted = await visit.person.must('GET', '/api/tasks?count=true&where[title][startsWith]=Task&limit=1');
  expect(counted['total']).toBe(1500);
});

it('says at a limit of the plan which lines it has stopped', { timeout: 180_000 }, async () => {
  const visit = await visitFilledDemo();
  const dialog = await openImport(visit);
  await choose(
    dialog,
    Array.from({ length: 60 }, (_, number) => `Task ${number}`),
  );
  await dialog.getByText('48 added, 12 refused').waitFor();
  const refused = await dialog.getByRole('listitem').allTextContents();
  expect(refused).toEqual(refused.map(() => expect.stringMatching(/^Line \d+50 of 50 tasks are used until/)));
});

it('counts my open tasks by project', { timeout: 180_000 }, async () => {
  const visit = await visitFilledDemo();
  const { person, tab } = visit;
  const name = { organizationId: person.workspaceId, name: 'Garden' };
  const { id: projectId } = await person.must('POST', '/api/projects', name);
  const task = { projectId, assigneeId: person.id, estimate: '1.50' };
  for (const title of ['Sow', 'Water']) await person.must('POST', '/api/tasks', { ...task, title });
  await person.must('POST', '/api/tasks', { ...task, title: 'Dig', done: true });
  await person.must('POST', '/api/tasks', { projectId, title: 'Nobody' });
  await openScreen(visit, '/');
  const region = tab.getByRole('region', { name: 'My open tasks by project' });
  await region.getByText('2 open, 3 h').waitFor();
  expect((await region.getByRole('listitem').allTextContents()).map((text) => text.slice(0, 7))).toEqual([
    'Garden2',
    'Website',
  ]);
  await inspectScreen(tab, 'home-by-project');
  expect(visit.console).toEqual([]);
});

async function openImport(visit: Visit) {
  await openScreen(visit, visit.screens['board'] ?? '');
  await visit.tab.getByRole('button', { name: 'More for Website' }).click();
  await visit.tab.getByRole('button', { name: 'Import tasks' }).click();
  const dialog = visit.tab.getByRole('dialog', { name: 'Import tasks' });
  await dialog.waitFor();
  return dialog;
}

async function choose(dialog: ReturnType<Page['getByRole']>, lines: readonly string[]): Promise<void> {
  const buffer = Buffer.from(`${lines.join('\n')}\n`);
  await dialog.getByLabel('File').setInputFiles({ name: 'tasks.txt', mimeType: 'text/plain', buffer });
}

async function upgrade({ person }: Visit): Promise<void> {
  await person.must('POST', `/api/organizations/${person.workspaceId}/plan`, { plan: 'enterprise' });
}
