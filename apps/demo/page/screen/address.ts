import { useSyncExternalStore } from 'react';

/** Where the page is: a path that the server serves, and a place in the page, which stands after the `#`. */
export interface Address {
  readonly path: string;
  /** Without the `#`; starts with a slash. */
  readonly place: string;
}

/** Returns the current address, and renders again when it changes. */
export function useAddress(): Address {
  const href = useSyncExternalStore(subscribe, () => location.pathname + location.hash);
  const [path = '/', place = '/'] = href.split('#');
  return { path, place: place || '/' };
}

/** Decodes a part of a place. Anybody can write an address: what is not encoded is taken as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Goes to another address without loading the page again. */
export function navigate(href: string): void {
  history.pushState(null, '', href);
  dispatchEvent(new PopStateEvent('popstate'));
}

/** The token of a mailed link. It is removed from the address at once: histories and screenshots would keep it. */
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
