import { useQuery } from '@x/client/cache';
import { type ReactElement, useSyncExternalStore } from 'react';
import { cache, client } from '../client/client.ts';
import { getRecordedRequests, onRecordedRequest, type RecordedRequest } from '../client/recorded-requests.ts';
import { MailList } from '../entry/outbox.tsx';
import { Select } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { usePlace } from '../navigation/location.ts';
import { matchPath } from '../navigation/match.ts';
import type { PathName } from '../navigation/paths.ts';
import { announce } from '../screen/announce.tsx';
import { Dialog } from '../screen/dialog.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { formatMoment } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

const session = cache.query(['sessions'], (_: void, options) => client.auth.getSession(options));

/** The insides of the open page, for developers: requests, mails, the session, the clock, the source. */
export default function DeveloperDrawer(props: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title={t.developer.title} side onClose={props.onClose}>
      <p className="hint">
        {t.developer.lead} <Source /> · <a href="/api/docs">{t.navigation.apiDocs}</a>
      </p>
      <Clock />
      <section aria-labelledby="requests" className="stack">
        <h3 id="requests">{t.developer.requests}</h3>
        <Requests />
      </section>
      <section aria-labelledby="mails" className="stack">
        <h3 id="mails">{t.developer.mails}</h3>
        <MailList email="" />
      </section>
      <section aria-labelledby="session" className="stack">
        <h3 id="session">{t.developer.session}</h3>
        <Loaded of={useQuery(session, undefined)}>{(data) => <Json value={data} label={t.developer.json} />}</Loaded>
      </section>
    </Dialog>
  );
}

/** The file that declares the current screen. */
function Source(): ReactElement {
  const { pathname } = usePlace();
  const name = matchPath(pathname)?.name;
  return (
    <>
      {t.developer.source}: <code>apps/demo/page/{(name && sources[name]) ?? 'app.tsx'}</code>
    </>
  );
}

const sources: Readonly<Partial<Record<PathName, string>>> = {
  home: 'home/home-screen.tsx',
  projects: 'project/projects-screen.tsx',
  project: 'project/project-screen.tsx',
  projectPart: 'project/project-screen.tsx',
  notes: 'notes/notes-screen.tsx',
  documents: 'documents/documents-screen.tsx',
  vault: 'vault/vault-screen.tsx',
  organization: 'organization/organization-screen.tsx',
  organizationPart: 'organization/organization-screen.tsx',
  account: 'account/account-screen.tsx',
  access: 'access/explorer-screen.tsx',
};

function Clock(): ReactElement {
  return (
    <section aria-labelledby="clock" className="stack">
      <h3 id="clock">{t.developer.clock}</h3>
      <Form
        label={t.developer.advance}
        submit={t.developer.advance}
        className="form row"
        tone="plain"
        send={({ minutes }) =>
          client.request<{ readonly now: string }>('/dev/clock', {
            method: 'POST',
            body: { advanceSeconds: Number(minutes) * 60 },
          })
        }
        onSent={({ now }) => announce(t.developer.advanced(formatMoment(now)))}
      >
        <Select
          label={t.developer.by}
          name="minutes"
          options={[5, 60, 1440].map((count) => ({ value: String(count), text: t.developer.minutes(count) }))}
        />
      </Form>
    </section>
  );
}

function Requests(): ReactElement {
  const requests = useSyncExternalStore(onRecordedRequest, getRecordedRequests);
  if (requests.length === 0) return <p className="empty">{t.developer.noRequests}</p>;
  return (
    <ul className="rows">
      {requests.map((request) => (
        <li key={request.id}>
          <RequestDetails {...request} />
        </li>
      ))}
    </ul>
  );
}

function RequestDetails({ method, path, status, sent, received, milliseconds }: RecordedRequest): ReactElement {
  return (
    <details className="grow">
      <summary>
        <code>
          {method} {path}
        </code>{' '}
        <span className={status !== null && status < 400 ? 'tag' : 'tag bad'}>{status ?? t.developer.failed}</span>{' '}
        <span className="hint">{t.developer.took(milliseconds)}</span>
      </summary>
      {sent !== null && <Json value={sent} label={t.developer.sent} />}
      {received !== '' && <Json value={received} label={t.developer.received} />}
    </details>
  );
}

/** Shows JSON as lines; a text that is none, as it is. */
function Json(props: { readonly value: unknown; readonly label: string }): ReactElement {
  return (
    <pre tabIndex={0} role="region" aria-label={props.label}>
      {toLines(props.value)}
    </pre>
  );
}

function toLines(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
