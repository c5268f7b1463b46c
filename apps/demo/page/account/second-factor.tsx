import { type ReactElement, useState } from 'react';
import { encode } from 'uqr';
import { notifyChange } from '../client/changes.ts';
import { client } from '../client/client.ts';
import { Show, useLoad } from '../client/load.tsx';
import { ActionButton } from '../form/action-button.tsx';
import { CodeField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';

/** The second factor of the account: sets it up, or changes it once it is on. */
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
            <Change backupCodesRemaining={backupCodesRemaining} onReplaced={setBackupCodes} />
          ) : (
            <SetUp onEnabled={setBackupCodes} />
          )
        }
      </Show>
    </section>
  );
}

/** Shows the secret for an authenticator app, and turns the second factor on once a code proves that the app has it. */
function SetUp(props: { readonly onEnabled: (backupCodes: readonly string[]) => void }): ReactElement {
  const [pending, setPending] = useState<{ readonly secret: string; readonly uri: string } | null>(null);
  if (!pending) {
    return (
      <>
        <p>A code from your phone, in addition to your password, keeps out anybody who knows only one of them.</p>
        <ActionButton className="primary" send={() => client.auth.mfa.setup()} onSent={setPending}>
          Set up a second factor
        </ActionButton>
      </>
    );
  }
  return (
    <div className="set-up">
      <QrCode text={pending.uri} label="QR code for an authenticator app" />
      <div>
        <p>Scan the code with an authenticator app, or type this secret into it:</p>
        <p>
          <code className="secret">{pending.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        </p>
        <Form
          label="Confirm the second factor"
          submit="Turn it on"
          send={({ code = '' }) => client.auth.mfa.verifySetup({ code })}
          onSent={({ backupCodes }) => {
            props.onEnabled(backupCodes);
            notifyChange('second-factor');
          }}
        >
          <CodeField hint="Six digits that the app shows now." />
        </Form>
      </div>
    </div>
  );
}

/** Replaces the backup codes of a second factor that is on, or turns it off. */
function Change(props: {
  readonly backupCodesRemaining: number;
  readonly onReplaced: (backupCodes: readonly string[]) => void;
}): ReactElement {
  const changed = (): void => notifyChange('second-factor');
  return (
    <>
      <p>
        <span className="tag">On</span> You have {props.backupCodesRemaining} backup codes left.
      </p>
      <details>
        <summary>Change it</summary>
        <Form
          label="New backup codes"
          submit="Make new backup codes"
          tone="plain"
          clears
          send={({ code = '' }) => client.auth.mfa.replaceBackupCodes({ code })}
          onSent={({ backupCodes }) => {
            props.onReplaced(backupCodes);
            changed();
          }}
        >
          <CodeField />
        </Form>
        <Form
          label="Turn the second factor off"
          submit="Turn it off"
          tone="danger"
          send={({ code = '' }) => client.auth.mfa.disable({ code })}
          onSent={changed}
        >
          <CodeField />
        </Form>
      </details>
    </>
  );
}

/** Shows new backup codes until the user has saved them: the server stores only hashes, and cannot show them again. */
function BackupCodes(props: { readonly codes: readonly string[]; readonly onKept: () => void }): ReactElement {
  return (
    <div role="status" className="notice">
      <p>Keep these backup codes. Each signs you in once if you do not have your app. They are not shown again.</p>
      <ul className="backup-codes">
        {props.codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <button onClick={props.onKept}>I have saved them</button>
    </div>
  );
}

/** Draws a text as a QR code: dark on light in any scheme, as cameras expect it. */
function QrCode(props: { readonly text: string; readonly label: string }): ReactElement {
  const { data, size } = encode(props.text, { border: 2 });
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg role="img" aria-label={props.label} viewBox={`0 0 ${size} ${size}`} className="qr-code">
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
}
