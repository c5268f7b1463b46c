import { useQuery } from '@x/client/react';
import { type ReactElement, useState } from 'react';
import { encode } from 'uqr';
import { cache, client } from '../client/client.ts';
import { secondFactor } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { CodeField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { t } from '../text/text.ts';

/** The second factor of the account: sets it up, or changes it once it is on. */
export function SecondFactor(): ReactElement {
  const [backupCodes, setBackupCodes] = useState<readonly string[]>([]);
  return (
    <section aria-labelledby="second-factor" className="card">
      <h2 id="second-factor">{t.account.secondFactor}</h2>
      {backupCodes.length > 0 && <BackupCodes codes={backupCodes} onKept={() => setBackupCodes([])} />}
      <Loaded of={useQuery(secondFactor, undefined)}>
        {({ enabled, backupCodesRemaining }) =>
          enabled ? (
            <Change backupCodesRemaining={backupCodesRemaining} onReplaced={setBackupCodes} />
          ) : (
            <SetUp onEnabled={setBackupCodes} />
          )
        }
      </Loaded>
    </section>
  );
}

/** Shows the secret for an authenticator app, and turns the second factor on once a code proves that the app has it. */
function SetUp(props: { readonly onEnabled: (backupCodes: readonly string[]) => void }): ReactElement {
  const [pending, setPending] = useState<{ readonly secret: string; readonly uri: string } | null>(null);
  if (!pending) {
    return (
      <>
        <p>{t.account.factorLead}</p>
        <div className="actions">
          <ActionButton className="primary" send={() => client.auth.mfa.setup()} onSent={setPending}>
            {t.account.setUp}
          </ActionButton>
        </div>
      </>
    );
  }
  return (
    <div className="set-up">
      <QrCode text={pending.uri} label={t.account.qrCode} />
      <div>
        <p>{t.account.scan}</p>
        <p>
          <code className="secret">{pending.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        </p>
        <Form
          label={t.account.confirmFactor}
          submit={t.account.turnOn}
          send={({ code = '' }) => client.auth.mfa.verifySetup({ code })}
          onSent={({ backupCodes }) => {
            props.onEnabled(backupCodes);
            cache.invalidate(['second-factor']);
          }}
        >
          <CodeField hint={t.account.setUpHint} autoFocus />
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
  const changed = (): void => cache.invalidate(['second-factor']);
  return (
    <>
      <p>
        <span className="tag">{t.account.on}</span> {t.account.codesLeft(props.backupCodesRemaining)}
      </p>
      <details>
        <summary>{t.account.changeIt}</summary>
        <Form
          label={t.account.newCodes}
          submit={t.account.makeCodes}
          tone="plain"
          clears
          send={({ code = '' }) => client.auth.mfa.backupCodes({ code })}
          onSent={({ backupCodes }) => {
            props.onReplaced(backupCodes);
            changed();
          }}
        >
          <CodeField />
        </Form>
        <Form
          label={t.account.turnOffForm}
          submit={t.account.turnOff}
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
      <p>{t.account.keepCodes}</p>
      <ul className="backup-codes">
        {props.codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <button onClick={props.onKept}>{t.account.saved}</button>
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
