/** The priorities, in the order in which they are offered. */
export const priorities = ['normal', 'high', 'low'] as const;

/** A priority. */
type Priority = (typeof priorities)[number];

/** What a query asks of tasks. */
export interface TaskCriteria {
  readonly done?: boolean;
  readonly priority?: Priority;
  /** An empty one stands for tasks without an assignee. */
  readonly assigneeId?: string;
  readonly labels?: readonly string[];
  /** Due at this moment or later. */
  readonly dueFrom?: string;
  /** Due before this moment. */
  readonly dueBefore?: string;
  /** Whether it is due at all. */
  readonly isDue?: boolean;
  /** A text in the title. */
  readonly search?: string;
}

/** A term that is not understood, and what would be. */
export interface Misunderstood {
  readonly term: string;
  /** Empty where the term repeats or contradicts another one. */
  readonly expected: readonly string[];
}

/** Who a query can be about. */
export interface People {
  readonly me: string;
  readonly others: readonly { readonly userId: string; readonly email: string }[];
}

/**
 * Reads a query such as `is:open priority:high assignee:ada label:web due:<2026-12-01 front page`. What has no name
 * before a colon is searched for in titles; quotes keep spaces and colons.
 */
export function parseTaskQuery(
  text: string,
  people: People,
): { readonly criteria: TaskCriteria; readonly misunderstood: readonly Misunderstood[] } {
  let criteria: TaskCriteria = {};
  const misunderstood: Misunderstood[] = [];
  const words: string[] = [];
  for (const term of toTerms(text)) {
    const [, name, value = ''] = /^([a-z]+):(.*)$/is.exec(term) ?? [];
    if (name === undefined) {
      words.push(unquote(term));
      continue;
    }
    const key = name.toLowerCase();
    const read = Object.hasOwn(readers, key) ? readers[key] : undefined;
    const found = read ? read(unquote(value), criteria, people) : Object.keys(readers).map((known) => `${known}:`);
    if (isExpectation(found)) misunderstood.push({ term, expected: found });
    else if (Object.keys(found).some((asked) => asked !== 'labels' && asked in criteria)) {
      misunderstood.push({ term, expected: [] });
    } else criteria = { ...criteria, ...found };
  }
  // More than this is no search for the server.
  const search = words.join(' ').slice(0, 256);
  return { criteria: search === '' ? criteria : { ...criteria, search }, misunderstood };
}

/** Returns the value of a term; empty if there is none. */
export function termOf(text: string, name: string): string {
  const term = toTerms(text).find((each) => isNamed(each, name));
  return term === undefined ? '' : unquote(term.slice(name.length + 1));
}

/** Puts a term in place of those of its name; an empty value removes them. */
export function withTerm(text: string, name: string, value: string): string {
  const others = toTerms(text).filter((each) => !isNamed(each, name));
  return (value === '' ? others : [`${name}:${/\s/.test(value) ? `"${value}"` : value}`, ...others]).join(' ');
}

function isNamed(term: string, name: string): boolean {
  return term.toLowerCase().startsWith(`${name}:`);
}

function toTerms(text: string): readonly string[] {
  return text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
}

function unquote(text: string): string {
  return text.replaceAll('"', '');
}

/** What would be understood. */
type Expectation = readonly string[];

/** Reads the value of a term: what it asks for, or what would be understood. */
type Reader = (value: string, criteria: TaskCriteria, people: People) => TaskCriteria | Expectation;

const readers: Readonly<Record<string, Reader>> = {
  is: (value) => (value === 'open' || value === 'done' ? { done: value === 'done' } : ['is:open', 'is:done']),
  priority(value) {
    const priority = priorities.find((each) => each === value);
    return priority ? { priority } : priorities.map((each) => `priority:${each}`);
  },
  assignee(value, _, { me, others }) {
    if (value === 'none') return { assigneeId: '' };
    if (value === 'me') return { assigneeId: me };
    const wanted = value.toLowerCase();
    const found =
      others.find(({ email }) => email.toLowerCase() === wanted) ??
      others.find(({ email }) => wanted !== '' && email.toLowerCase().startsWith(wanted));
    if (found) return { assigneeId: found.userId };
    return ['assignee:me', 'assignee:none', ...others.slice(0, 3).map(({ email }) => `assignee:${email}`)];
  },
  label(value, { labels = [] }) {
    if (value === '') return ['label:web'];
    return labels.length < mostLabels ? { labels: [...labels, value] } : [];
  },
  due: readDue,
};

/** A label is compared with each place that one can stand at, and a query has at most 50 conditions. */
const mostLabels = 2;

function readDue(value: string): TaskCriteria | Expectation {
  if (value === 'none') return { isDue: false };
  const [, side, day = ''] = /^([<>]?)(\d{4}-\d\d-\d\d)$/.exec(value) ?? [];
  const start = new Date(`${day}T00:00`);
  if (Number.isNaN(start.getTime())) return ['due:2026-12-24', 'due:<2026-12-24', 'due:>2026-12-24', 'due:none'];
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  return {
    ...(side !== '<' && { dueFrom: (side === '>' ? end : start).toISOString() }),
    ...(side !== '>' && { dueBefore: (side === '<' ? start : end).toISOString() }),
  };
}

function isExpectation(found: TaskCriteria | Expectation): found is Expectation {
  return Array.isArray(found);
}
