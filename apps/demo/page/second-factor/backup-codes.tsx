import type { ReactElement } from 'react';

/** Shows the codes that stand in for an authenticator app, which nobody can show again. */
export function BackupCodes(props: { readonly codes: readonly string[]; readonly onKept: () => void }): ReactElement {
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
