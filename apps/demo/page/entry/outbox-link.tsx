import type { ReactElement } from 'react';
import { hasFeature } from '../client/client.ts';
import { t } from '../text/text.ts';

/** Leads to the mails of an address; nothing in production, which sends them. */
export function OutboxLink(props: { readonly email: string }): ReactElement | null {
  if (!hasFeature('outbox')) return null;
  return <a href={`/outbox?${new URLSearchParams({ email: props.email })}`}>{t.entry.checkOutbox}</a>;
}
