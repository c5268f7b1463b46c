import { type Client, createClient } from '@x/client';
import { useSession } from '@x/client/react';
import { createElement, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';

declare global {
  /** The client of a page, for tests that work in it. */
  var client: Client;
  /** The texts that the page has shown so far: a status, or the address of the user. */
  var shown: string[];
  /** The codes of all that {@link startAsking} asked; `ok` for what was answered. */
  var answers: string[];
  /** Has the page ask for its devices, again and again. */
  var startAsking: () => void;
}

globalThis.client = createClient();
globalThis.shown = [];
globalThis.answers = [];
globalThis.startAsking = () => {
  void client.auth.sessions.list().then((answer) => {
    answers.push(answer.ok ? 'ok' : answer.error.code);
    setTimeout(startAsking, 50);
  });
};

function WhoIsSignedIn(): ReactElement {
  const { status, user } = useSession(client);
  const text = user?.email ?? status;
  shown.push(text);
  return createElement('output', null, text);
}

createRoot(document.body).render(createElement(WhoIsSignedIn));
