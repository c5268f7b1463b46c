import type { ReactElement } from 'react';
import { notifyChange } from '../client/changes.ts';
import { client } from '../client/client.ts';
import { Show, useLoad } from '../client/load.tsx';
import { ActionButton } from '../form/action-button.tsx';
import { Moment } from '../screen/wording.tsx';

/** The signed-in devices, with buttons that sign them out. */
export function DeviceList(): ReactElement {
  const devices = useLoad('devices', client.auth.sessions.list);
  const changed = (): void => notifyChange('devices');
  return (
    <section aria-labelledby="devices" className="card">
      <h2 id="devices">Devices</h2>
      <Show of={devices}>
        {(list) => (
          <>
            <ul className="rows">
              {list.map(({ id, deviceName, ipAddress, isCurrent, lastActiveAt }) => (
                <li key={id}>
                  <div>
                    <strong>{deviceName}</strong> {isCurrent && <span className="tag">This device</span>}
                    <p className="hint">
                      {ipAddress}, active <Moment at={lastActiveAt} />
                    </p>
                  </div>
                  {!isCurrent && (
                    <ActionButton
                      label={`Sign out ${deviceName}`}
                      send={() => client.auth.sessions.revoke(id)}
                      onSent={changed}
                    >
                      Sign out
                    </ActionButton>
                  )}
                </li>
              ))}
            </ul>
            {list.length > 1 && (
              <ActionButton send={() => client.auth.sessions.revokeOthers()} onSent={changed}>
                Sign out all other devices
              </ActionButton>
            )}
          </>
        )}
      </Show>
    </section>
  );
}
