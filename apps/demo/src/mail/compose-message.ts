import type { Mail } from './mail.ts';
import { toMailUrl } from './mail-url.ts';
import { linkTexts, type MessageText, noticeTexts } from './message-texts.ts';

/** The content of a mail. */
export interface Message {
  readonly subject: string;
  readonly text: string;
  /** The same content as {@link text}. */
  readonly html: string;
}

/** Composes a mail, as plain text and as HTML. */
export function composeMessage(mail: Mail, baseUrl: string): Message {
  if (mail.kind === 'notice') return compose(noticeTexts[mail.about], null);
  const texts = linkTexts[mail.kind];
  return compose(texts, { action: texts.action, url: toMailUrl(mail, baseUrl) });
}

interface Link {
  readonly action: string;
  readonly url: string;
}

function compose({ subject, lead, close }: MessageText, link: Link | null): Message {
  const text = [lead, ...(link ? [`${link.action}:\n${link.url}`] : []), close].join('\n\n');
  const paragraphs = [escapeHtml(lead), ...(link ? [toAnchor(link)] : []), escapeHtml(close)];
  const html = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n');
  return { subject, text: `${text}\n`, html: `<!doctype html>\n${html}\n` };
}

function toAnchor({ action, url }: Link): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(action)}</a>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
