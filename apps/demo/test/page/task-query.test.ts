import { expect, it } from 'vitest';
import { parseTaskQuery, termOf, withTerm } from '../../page/project/task-query.ts';

const people = {
  me: 'g',
  others: [
    { userId: 'a', email: 'ada@tracker.example' },
    { userId: 'g', email: 'grace@tracker.example' },
  ],
};

function startOf(day: string): string {
  return new Date(`${day}T00:00`).toISOString();
}

it.each([
  ['', {}],
  ['front  page', { search: 'front page' }],
  ['is:open', { done: false }],
  ['is:done priority:high words', { done: true, priority: 'high', search: 'words' }],
  ['assignee:ada', { assigneeId: 'a' }],
  ['assignee:GRACE@tracker.example', { assigneeId: 'g' }],
  ['assignee:me', { assigneeId: 'g' }],
  ['assignee:none', { assigneeId: '' }],
  ['label:web label:"two words"', { labels: ['web', 'two words'] }],
  ['due:none', { isDue: false }],
  ['due:<2026-12-01', { dueBefore: startOf('2026-12-01') }],
  ['due:>2026-12-01', { dueFrom: startOf('2026-12-02') }],
  ['due:2026-12-31', { dueFrom: startOf('2026-12-31'), dueBefore: startOf('2027-01-01') }],
  ['due:>2026-11-30 due:<2026-12-24', { dueFrom: startOf('2026-12-01'), dueBefore: startOf('2026-12-24') }],
  ['"is:open" is', { search: 'is:open is' }],
])('understands the query %j', (text, criteria) => {
  expect(parseTaskQuery(text, people)).toEqual({ criteria, misunderstood: [] });
});

it.each([
  ['is:late', ['is:open', 'is:done']],
  ['priority:urgent', ['priority:normal', 'priority:high', 'priority:low']],
  ['assignee:bob', expect.arrayContaining(['assignee:me', 'assignee:ada@tracker.example'])],
  ['due:soon', expect.arrayContaining(['due:none'])],
  ['due:<2026-99-01', expect.arrayContaining(['due:none'])],
  ['owner:ada', ['is:', 'priority:', 'assignee:', 'label:', 'due:']],
  ['constructor:x', expect.anything()],
])('says that it does not understand %s, and what it would', (term, expected) => {
  expect(parseTaskQuery(`${term} words`, people)).toEqual({
    criteria: { search: 'words' },
    misunderstood: [{ term, expected }],
  });
});

it('says which term contradicts another one', () => {
  expect(parseTaskQuery('is:open is:done label:a label:b label:c', people)).toEqual({
    criteria: { done: false, labels: ['a', 'b'] },
    misunderstood: [
      { term: 'is:done', expected: [] },
      { term: 'label:c', expected: [] },
    ],
  });
});

it('replaces a term where it stands for a choice, and leaves the others', () => {
  expect(withTerm('is:open front page', 'priority', 'high')).toBe('priority:high is:open front page');
  expect(withTerm('is:open front page', 'is', 'done')).toBe('is:done front page');
  expect(withTerm('is:open front page', 'is', '')).toBe('front page');
  expect(termOf(withTerm('', 'label', 'two words'), 'label')).toBe('two words');
});
