import type { Answer, Browser } from './browser.ts';

/** Signs a person in by a stand-in, from the button to the callback's answer. */
export async function signInBy(
  browser: Browser,
  provider: string,
  person: { readonly name: string; readonly email: string } = { name: 'Ada', email: 'ada@example.com' },
): Promise<Answer> {
  const started = await browser.get(`/api/auth/oauth/${provider}`);
  return browser.get(await fillIn(started.headers.get('location') ?? '', person));
}

/** Fills in the form of a stand-in, and returns the path of the demo that it leads back to. */
export async function fillIn(page: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const html = await (await fetch(page)).text();
  const action = new URL(/<form action="([^"]*)"/.exec(html)?.[1] ?? '', page);
  for (const [, name = '', value = ''] of html.matchAll(/<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"/g)) {
    action.searchParams.set(unescape(name), unescape(value));
  }
  for (const [name, value] of Object.entries(fields)) action.searchParams.set(name, value);
  const answer = await fetch(action, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  return back.pathname + back.search;
}

function unescape(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
