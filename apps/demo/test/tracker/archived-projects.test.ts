import { expect, it } from 'vitest';
import { useDemoHere } from '../support/demo-in-process.ts';
import { signUpPerson, wordOf } from '../support/person.ts';

const url = useDemoHere({ RATE_LIMIT_FACTOR: '1000' });

it('takes no task into an archived project, neither a new one nor one of another project', async () => {
  const ada = await signUpPerson(url());
  const addProject = (name: string) => ada.must('POST', '/api/projects', { organizationId: ada.workspaceId, name });
  const [archived, open] = [await addProject('Archived'), await addProject('Open')];
  const inside = await ada.must('POST', '/api/tasks', { projectId: archived.id, title: 'Inside' });
  const outside = await ada.must('POST', '/api/tasks', { projectId: open.id, title: 'Outside' });
  await ada.must('POST', `/api/projects/${archived.id}/archive`);

  const moved = await ada.patch(`/api/tasks/${outside.id}`, { projectId: archived.id });
  expect(wordOf(moved)).toBe('409 CONFLICT');
  expect(wordOf(await ada.post('/api/tasks', { projectId: archived.id, title: 'New' }))).toBe('409 CONFLICT');

  expect(wordOf(await ada.patch(`/api/tasks/${inside.id}`, { ...inside, done: true })), 'what is there').toBe('200');
  expect(wordOf(await ada.patch(`/api/tasks/${inside.id}`, { projectId: open.id })), 'moves out').toBe('200');
});
