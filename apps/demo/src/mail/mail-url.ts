import type { TokenMail } from './mail.ts';
import { linkTexts } from './message-texts.ts';

/** Builds the link of a mail, always on the demo's own origin, whatever host a request names. */
export function toMailUrl({ kind, token }: TokenMail, baseUrl: string): string {
  const url = new URL(linkTexts[kind].path, baseUrl);
  url.searchParams.set('token', token);
  return url.href;
}
