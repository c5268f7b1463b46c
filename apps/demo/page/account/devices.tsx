import { useQuery } from '@x/client/react';
import { Laptop, Smartphone } from 'lucide-react';
import type { ReactElement } from 'react';
import { cache, client } from '../client/client.ts';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { announce } from '../screen/announce.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { formatMoment } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

const sessions = cache.query(['sessions'], (_: void, options) => client.auth.sessions.list(options));

/** Signs a device out, which is then no longer listed. */
function signOut(id: string) {
  return cache.write(() => client.auth.sessions.revoke(id), {
    touches: ['sessions'],
    merge: () => [sessions.merge((list) => list.filter((session) => session.id !== id))],
  });
}

/** The signed-in devices, told apart by where and since when, with buttons that sign them out. */
export function DeviceList(): ReactElement {
  return (
    <section aria-labelledby="devices" className="card">
      <h2 id="devices">{t.account.devices}</h2>
      <Loaded of={useQuery(sessions, undefined)}>
        {(list) => (
          <>
            <ul className="rows">
              {list.map(({ id, deviceName, ipAddress, isCurrent, createdAt, lastActiveAt }) => {
                const Icon = /iPhone|Android|iPad/.test(deviceName) ? Smartphone : Laptop;
                return (
                  <li key={id}>
                    <Icon aria-hidden />
                    <div className="grow">
                      <strong>{deviceName}</strong> {isCurrent && <span className="tag">{t.account.thisDevice}</span>}
                      <p className="hint">
                        {ipAddress ?? t.account.unknownAddress}, {t.account.active(formatMoment(lastActiveAt))}
                      </p>
                      <p className="hint">{t.account.since(formatMoment(createdAt))}</p>
                    </div>
                    {!isCurrent && (
                      <ConfirmButton
                        title={t.account.signOutDevice(deviceName)}
                        body={t.account.signOutDeviceBody}
                        submit={t.navigation.signOut}
                        label={t.account.signOutDevice(deviceName)}
                        className="plain-button"
                        send={() => signOut(id)}
                        onSent={() => announce(t.account.signedOutDevice(deviceName))}
                      >
                        {t.navigation.signOut}
                      </ConfirmButton>
                    )}
                  </li>
                );
              })}
            </ul>
            {list.length > 1 && (
              <div>
                <ConfirmButton
                  title={t.account.signOutOthers}
                  body={t.account.signOutDeviceBody}
                  submit={t.account.signOutOthers}
                  className="plain-button"
                  send={() => cache.write(() => client.auth.sessions.revokeOthers(), { touches: ['sessions'] })}
                  onSent={() => announce(t.account.signedOutOthers)}
                >
                  {t.account.signOutOthers}
                </ConfirmButton>
              </div>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
