import { useSyncExternalStore } from 'react';

/** Where the page is: a path that the server knows, and a place in the page behind the `#`. */
export interface Address {
  readonly path: string;
  /** Without the `#`; starts with a slash. */
  readonly place: string;
}

/** Returns where the page is, and renders again when that changes. */
export function useAddress(): Address {
  const href = useSyncExternalStore(subscribe, () => location.pathname + location.hash);
  const [path = '/', place = '/'] = href.split('#');
  return { path, place: place || '/' };
}

/** Goes to another address of this page, without loading it again. */
export function navigate(href: string): void {
  history.pushState(null, '', href);
  dispatchEvent(new PopStateEvent('popstate'));
}

/** The token of a link in a mail. It is taken out of the address at once: histories and screenshots outlive it. */
export const mailedToken: string | null = takeToken();

function takeToken(): string | null {
  const token = new URLSearchParams(location.search).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname + location.hash);
  return token;
}

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener);
  addEventListener('hashchange', listener);
  return () => {
    removeEventListener('popstate', listener);
    removeEventListener('hashchange', listener);
  };
}
