import { type ReactElement, useState } from 'react';
import { client } from '../client.ts';
import { Show } from '../load/show.tsx';
import { useLoad } from '../load/use-load.ts';
import { BackupCodes } from './backup-codes.tsx';
import { SetUp } from './set-up.tsx';
import { TurnOff } from './turn-off.tsx';

/** The second factor of an account: to be set up, or there. */
export function SecondFactor(): ReactElement {
  const status = useLoad('second-factor', client.auth.mfa.status);
  const [backupCodes, setBackupCodes] = useState<readonly string[]>([]);
  return (
    <section aria-labelledby="second-factor" className="card">
      <h2 id="second-factor">Second factor</h2>
      {backupCodes.length > 0 && <BackupCodes codes={backupCodes} onKept={() => setBackupCodes([])} />}
      <Show of={status}>
        {({ enabled, backupCodesRemaining }) =>
          enabled ? (
            <TurnOff backupCodesRemaining={backupCodesRemaining} onReplaced={setBackupCodes} />
          ) : (
            <SetUp onEnabled={setBackupCodes} />
          )
        }
      </Show>
    </section>
  );
}
