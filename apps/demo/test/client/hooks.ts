import { type Client, createClient } from '@x/client';
import { useAccess, useList, useSession } from '@x/client/react';
import { createElement, type ReactElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Tracker } from '../../src/tracker.ts';

declare global {
  /** The client of a page that lists notes, for tests that work in it. */
  var tracker: Client<Tracker>;
}

globalThis.tracker = createClient<Tracker>();

function Notes(): ReactElement {
  const { status, items, hasNextPage, loadMore } = useList(tracker.entities.notes, { orderBy: ['title'], limit: 2 });
  const { can, check } = useAccess(tracker);
  const plans = check('project:export').meta?.requiredPlans?.join(' or ') ?? 'no plan';
  const text = `${status}: ${items.map(({ title }) => title).join(' ')}`;
  return createElement(
    'div',
    null,
    createElement('output', null, text),
    createElement('p', null, can('project:export') ? 'may export' : `needs ${plans}`),
    hasNextPage && createElement('button', { onClick: loadMore }, 'more'),
  );
}

function Page(): ReactElement {
  const { user } = useSession(tracker);
  return user ? createElement(Notes, { key: user.id }) : createElement('output', null, 'nobody');
}

createRoot(document.body).render(createElement(StrictMode, null, createElement(Page)));
