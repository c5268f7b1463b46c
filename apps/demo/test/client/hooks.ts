import { type Client, createClient } from '@x/client';
import { useAccess, useConfirmation, useSession } from '@x/client/react';
import { useList } from '@x/client/react/list';
import { createElement, type ReactElement, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Tracker } from '../../src/tracker.ts';

declare global {
  /** The client of a page that lists notes, for tests that work in it. */
  var tracker: Client<Tracker>;
}

globalThis.tracker = createClient<Tracker>();

function Notes(): ReactElement {
  const { data, loadMore } = useList(tracker.entities.notes, { orderBy: ['title'], limit: 2 });
  const { can, check } = useAccess(tracker);
  const plans = check('project:export').meta?.requiredPlans?.join(' or ') ?? 'no plan';
  const text = data ? `ready: ${data.items.map(({ title }) => title).join(' ')}` : 'loading';
  return createElement(
    'div',
    null,
    createElement('output', null, text),
    createElement('p', null, can('project:export') ? 'may export' : `needs ${plans}`),
    data?.nextCursor && createElement('button', { onClick: loadMore }, 'more'),
  );
}

/** Whether a second factor was set up, and which proof the user is asked for on the way. */
function SetUp(): ReactElement {
  const { withProof, proofRequest } = useConfirmation(tracker);
  const [outcome, setOutcome] = useState('it is not set up');
  const setUp = async (): Promise<void> => {
    const result = await withProof(() => tracker.auth.mfa.setup());
    setOutcome(result.ok ? 'it is set up' : result.error.code);
  };
  const submit = (password: string): void => void proofRequest?.submit({ password });
  return createElement(
    'div',
    null,
    createElement('p', null, proofRequest ? `prove it by ${proofRequest.methods.join(' or ')}` : outcome),
    createElement('button', { onClick: () => void setUp() }, 'set up'),
    proofRequest && createElement('input', { onChange: ({ target }) => submit(target.value) }),
  );
}

function Page(): ReactElement {
  const { user } = useSession(tracker);
  return user
    ? createElement('div', { key: user.id }, createElement(Notes), createElement(SetUp))
    : createElement('output', null, 'nobody');
}

createRoot(document.body).render(createElement(StrictMode, null, createElement(Page)));
