import type { ReactElement } from 'react';
import { client } from '../client.ts';
import { CodeField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { tellChange } from '../load/changes.ts';

/** What can be done with a second factor that is on: new backup codes, or none of it any more. */
export function TurnOff(props: {
  readonly backupCodesRemaining: number;
  readonly onReplaced: (backupCodes: readonly string[]) => void;
}): ReactElement {
  const changed = (): void => tellChange('second-factor');
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
