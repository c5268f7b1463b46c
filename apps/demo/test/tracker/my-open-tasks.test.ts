import { expect, it } from 'vitest';
import { useDemoHere } from '../support/demo-in-process.ts';
import { type Person, signUpPeople } from '../support/person.ts';

const url = useDemoHere({ RATE_LIMIT_FACTOR: '1000' });

it('counts the open tasks of the caller by project, and sums their hours, of projects that they may read', async () => {
  const { ada, bob } = await signUpPeople(url(), ['ada', 'bob']);
  const ofBob = await bob.must('POST', '/api/projects', { organizationId: bob.workspaceId, name: 'Elsewhere' });
  await bob.must('POST', '/api/tasks', { projectId: ofBob.id, title: 'Hidden', assigneeId: ada.id, estimate: '100' });
  const projects: string[] = [];
  for (const name of ['Website', 'App']) {
    const project = await ada.must('POST', '/api/projects', { organizationId: ada.workspaceId, name });
    projects.push(String(project.id));
  }
  const [website, app] = projects.toSorted();
  for (const [projectId, estimate, done] of [
    [website, '1.25', false],
    [website, '2.25', false],
    [website, '40', true],
    [app, null, false],
  ] as const) {
    await ada.must('POST', '/api/tasks', { projectId, title: 'Task', estimate, done, assigneeId: ada.id });
  }
  await ada.must('POST', '/api/tasks', { projectId: app, title: 'Nobody’s', estimate: '7' });
  const asked = {
    where: { assigneeId: ada.id, done: false },
    groupBy: ['projectId'],
    measures: { open: { count: true }, hours: { sum: 'estimate' } },
  };
  expect(await ada.must('POST', '/api/tasks/aggregate', asked)).toEqual({
    groups: [
      { key: { projectId: website }, open: 2, hours: '3.50' },
      { key: { projectId: app }, open: 1, hours: null },
    ],
  });
  const named = await ada.must('GET', '/api/tasks?orderBy=project.name,title&select=projectId&limit=2');
  expect((named['items'] as readonly { readonly projectId: string }[]).map(({ projectId }) => projectId)).toEqual([
    projects[1],
    projects[1],
  ]);
});

it('creates a project by its slug and changes it by the same one, for users who may do each', async () => {
  const { ada, bob } = await signUpPeople(url(), ['ada', 'bob']);
  const write = (person: Person, name: string, organizationId = ada.workspaceId) =>
    person.ask('POST', '/api/projects/upsert', {
      by: ['organizationId', 'slug'],
      record: { organizationId, slug: 'website', name },
    });
  const created = await write(ada, 'Website');
  const changed = await write(ada, 'New website');
  expect([created.status, changed.status, changed.body['id']]).toEqual([201, 200, created.body['id']]);
  expect((await write(bob, 'Mine')).status).toBe(403);
  expect((await write(bob, 'Mine', bob.workspaceId)).status).toBe(201);
  expect((await ada.must('GET', `/api/projects/${String(created.body['id'])}`))['name']).toBe('New website');
});
