let token: string | null = null;

/** Takes the token of a mailed link out of the address, at once: histories and screenshots would keep it. */
export function takeMailedToken(): void {
  token = new URLSearchParams(location.search).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname);
}

/** The token that the page was opened with; empty if there was none. */
export function getMailedToken(): string {
  return token ?? '';
}
