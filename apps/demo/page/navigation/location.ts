import { useSyncExternalStore } from 'react';

/** Where the page is. */
export interface Place {
  readonly pathname: string;
  readonly query: URLSearchParams;
}

/** Returns where the page is, and renders again when that changes. */
export function usePlace(): Place {
  const href = useSyncExternalStore(subscribe, getHref);
  const [pathname = '/', search = ''] = href.split('?');
  return { pathname, query: new URLSearchParams(search) };
}

/** The part of a path that says which screen it is: that of a project stays while its parts come and go. */
export function screenOf(pathname: string): string {
  return pathname.split('/', 3).join('/');
}

/** Goes to another address without loading the page again, unless something unsaved holds the visitor. */
export function navigate(href: string, how: 'push' | 'replace' = 'push'): void {
  const { pathname } = location;
  if (how === 'replace') history.replaceState({ visit, from: readState().from }, '', href);
  else {
    leave();
    history.pushState({ visit: nextVisit++, from: getHref() }, '', href);
    visit = readState().visit ?? visit;
  }
  emit();
  if (location.pathname !== pathname) scrollTo(0, 0);
}

/**
 * Leaves what was opened over another address: goes back to that where the visitor came from there, so that the next
 * Back leads further.
 */
export function leaveTo(href: string): void {
  if (readState().from === href) history.back();
  else navigate(href, 'replace');
}

/** What the history remembers of an address. */
interface Visit {
  readonly visit?: number;
  /** The address that was left for it, which is the one before it. */
  readonly from?: string;
  /** Whether the page was loaded again there. */
  readonly isReloaded?: boolean;
}

function readState(): Visit {
  return (history.state as Visit | null) ?? {};
}

/** Loads the page again, and remembers that at this address. */
export function reload(): void {
  history.replaceState({ ...readState(), isReloaded: true }, '');
  location.reload();
}

/** Whether loading the page again may help: it has not been done at this address before. */
export function mayReload(): boolean {
  return readState().isReloaded !== true;
}

/** Returns the address of the current path with some parameters changed; null removes one. */
export function withQuery(changes: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  return query.size > 0 ? `${location.pathname}?${query}` : location.pathname;
}

/** Where a visitor wanted to go before they had to sign in: this address, or the one that the entry screens hand on. */
export function wantedPlace(entryPaths: ReadonlySet<string>): string {
  const to = new URLSearchParams(location.search).get('to');
  if (to !== null) return isOwn(to) ? to : '/';
  return entryPaths.has(location.pathname) ? '/' : getHref();
}

/**
 * Makes links of the page lead to their address without loading the page again, and Back to the place it was left at.
 */
export function followLinks(): void {
  history.scrollRestoration = 'manual';
  history.replaceState({ ...readState(), visit }, '');
  addEventListener('popstate', () => {
    leave();
    visit = readState().visit ?? nextVisit++;
    emit();
    returnTo(positions.get(visit) ?? 0);
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.target !== '' || link.hasAttribute('download') || !isOwn(link.getAttribute('href') ?? '')) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}

/** Whether an address belongs to the page, and not to the server's API or to another site. */
function isOwn(href: string): boolean {
  return /^\/(?![/\\]|api\/|dev\/|assets\/)[^\p{Cc}]*$/u.test(href);
}

/** How far each visited address was scrolled when it was left, by its number in the history. */
const positions = new Map<number, number>();
let nextVisit = Date.now();
let visit = nextVisit++;

function leave(): void {
  positions.set(visit, scrollY);
}

/**
 * Scrolls once there is enough to scroll: a screen that was shown before is there at once, but for code that is still
 * loading.
 */
function returnTo(position: number, attempts = 20): void {
  const root = document.documentElement;
  const isThere = root.scrollHeight - innerHeight >= position;
  if (isThere || attempts === 0) scrollTo(0, position);
  else requestAnimationFrame(() => returnTo(position, attempts - 1));
}

const listeners = new Set<() => void>();

function emit(): void {
  for (const listener of listeners) listener();
}

function getHref(): string {
  return location.pathname + location.search;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
