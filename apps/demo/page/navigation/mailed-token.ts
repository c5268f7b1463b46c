let token = '';

/**
 * Takes the token of a mailed link out of the address, at once: lists of visited pages and screenshots would keep it.
 * The state of this one visit does, so that loading the page again loses nothing.
 */
export function takeMailedToken(): void {
  const mailed = new URLSearchParams(location.search).get('token');
  if (mailed !== null) history.replaceState({ mailedToken: mailed }, '', location.pathname);
  token = (history.state as { readonly mailedToken?: string } | null)?.mailedToken ?? '';
}

/** The token that the page was opened with; empty if there was none. */
export function getMailedToken(): string {
  return token;
}
