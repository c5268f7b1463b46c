import { type ReactElement, useState } from 'react';
import { client } from '../client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { CodeField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { tellChange } from '../load/changes.ts';
import { QrCode } from './qr-code.tsx';

/** Hands a secret to an authenticator app, and turns the second factor on once the app shows that it has it. */
export function SetUp(props: { readonly onEnabled: (backupCodes: readonly string[]) => void }): ReactElement {
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
            tellChange('second-factor');
          }}
        >
          <CodeField hint="Six digits that the app shows now." />
        </Form>
      </div>
    </div>
  );
}
