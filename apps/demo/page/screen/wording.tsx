import type { AccessCheck } from '@x/access/access-set';
import type { ClientError } from '@x/client';
import type { ReactElement } from 'react';
import { language, t } from '../text/text.ts';

/** Words an error for people; `retryAfter` becomes how long to wait, and a denial what would change it. */
export function toErrorText(error: ClientError): string {
  if (error.retryAfter !== undefined) return t.tryAgainIn(t.errors[error.code] ?? t.notNow, toWait(error.retryAfter));
  if (isDenial(error)) return toDenialText(error as unknown as AccessCheck);
  // For these, the server says what helps.
  if (error.meta?.['locked'] || error.code === 'CONFLICT') return error.message;
  return t.errors[error.code] ?? error.message;
}

function isDenial({ code, reason = '' }: ClientError): boolean {
  return code === 'FORBIDDEN' && Object.hasOwn(t.denial, reason);
}

/** Words what is wrong with one field: as the server says it, unless that is a word for programs. */
export function toIssueText({ code, message }: { readonly code: string; readonly message: string }): string {
  const [start] = /^(Too small|Too big|Invalid)/.exec(message) ?? [];
  return start === undefined ? message : (t.issues[start] ?? t.issues[code] ?? message);
}

function toWait(seconds: number): string {
  return seconds < 90 ? t.seconds(seconds) : t.minutes(Math.ceil(seconds / 60));
}

/** Words why something is not allowed, and what would allow it; empty if it is allowed. */
export function toDenialText({ reason, meta = {} }: AccessCheck): string {
  if (!reason) return '';
  const text = t.denial[reason](meta);
  if (reason !== 'limit_reached') return text;
  const resetsAt = meta.limit?.resetsAt ?? null;
  return t.limitUntil(text, resetsAt === null ? null : formatDay(resetsAt));
}

/** A moment, in the format of the visitor's language. */
export function Moment(props: { readonly at: string }): ReactElement {
  return (
    <time dateTime={props.at} className="hint">
      {formatMoment(props.at)}
    </time>
  );
}

/** Formats a moment. */
export function formatMoment(at: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
}

/** Formats the time of a moment, where its day is said. */
export function formatTime(at: string): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(new Date(at));
}

/** Formats the day of a moment; the year is said where it is not the present one. */
export function formatDay(at: string): string {
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  const year = isThisYear ? undefined : 'numeric';
  return new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', year }).format(date);
}

/** Formats a number, in groups of three digits. */
export function formatNumber(number: number): string {
  return number.toLocaleString(language);
}

/** Joins alternatives, as in "a, b or c". */
export function formatChoice(names: readonly string[]): string {
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(names);
}

/** Words a dotted name such as `email.changed`. */
export function toSentence(name: string): string {
  return toStart(t.events[name] ?? name.replaceAll(/[._]/g, ' '));
}

/** Cuts a name of which no more would leave room for the sentence around it. */
export function shorten(name: string): string {
  const characters = Array.from(new Intl.Segmenter(language).segment(name), ({ segment }) => segment);
  return characters.length > 60 ? `${characters.slice(0, 59).join('').trimEnd()}…` : name;
}

/** Words something that stands at the start, and not within a sentence. */
export function toStart(text: string): string {
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}
