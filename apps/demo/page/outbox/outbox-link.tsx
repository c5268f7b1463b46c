import type { ReactElement } from 'react';
import { has } from '../features.ts';

/** Leads to the mails of an address where they are kept here: in development. */
export function OutboxLink(props: { readonly email: string }): ReactElement | null {
  if (!has('outbox')) return null;
  return <a href={`#/outbox/${encodeURIComponent(props.email)}`}>Check your outbox</a>;
}
