import { type ReactElement, useSyncExternalStore } from 'react';
import { getRecordedRequests, onRecordedRequest, type RecordedRequest } from '../client/recorded-requests.ts';
import { usePlace } from '../navigation/location.ts';
import { tools } from '../text/tools.ts';
import { Json } from './json.tsx';
import { countRoundTrips, toReadablePath } from './round-trips.ts';

/** The last requests, the newest first, and how many of them the open screen has needed. */
export function Requests(): ReactElement {
  const requests = useSyncExternalStore(onRecordedRequest, getRecordedRequests);
  const { pathname } = usePlace();
  const before = requests.findIndex(({ screen }) => screen !== pathname);
  const own = before === -1 ? requests : requests.slice(0, before);
  return (
    <>
      <p className="hint">{tools.developer.onScreen(own.length, countRoundTrips(own))}</p>
      {requests.length === 0 && <p className="empty">{tools.developer.noRequests}</p>}
      <ul className="rows">
        {requests.map((request) => (
          <li key={request.id}>
            <RequestDetails {...request} />
          </li>
        ))}
      </ul>
    </>
  );
}

function RequestDetails({ method, path, status, sent, received, milliseconds }: RecordedRequest): ReactElement {
  return (
    <details className="grow">
      <summary>
        <code className="method">{method}</code>
        <code title={path}>{toReadablePath(path)}</code>
        <span className={status !== null && status < 400 ? 'tag' : 'tag bad'}>{status ?? tools.developer.failed}</span>
        <span className="hint">{tools.developer.took(milliseconds)}</span>
      </summary>
      {sent !== null && <Json value={sent} label={tools.developer.sent} />}
      {received !== '' && <Json value={received} label={tools.developer.received} />}
    </details>
  );
}
