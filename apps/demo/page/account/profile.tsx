import type { ReactElement } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { useUser } from '../client/queries.ts';
import { EmailField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { announce } from '../screen/announce.tsx';
import { formatMoment } from '../screen/wording.tsx';
import { t } from '../text/text.ts';

/** The address of the user, and a form that changes it once the new one is verified. */
export function Profile(): ReactElement {
  const { email, emailVerified, createdAt } = useUser();
  return (
    <section aria-labelledby="profile" className="card">
      <h2 id="profile">{t.account.profile}</h2>
      <p>
        <strong>{email}</strong>{' '}
        <span className={emailVerified ? 'tag' : 'tag bad'}>
          {emailVerified ? t.account.verified : t.account.notVerified}
        </span>
      </p>
      <p className="hint">{t.account.since(formatMoment(createdAt))}</p>
      {hasFeature('emailVerification') && (
        <details>
          <summary>{t.account.changeEmail}</summary>
          <Form
            label={t.account.changeEmail}
            submit={t.account.changeEmail}
            tone="plain"
            clears
            send={async ({ email: wanted = '' }) => {
              const result = await client.auth.changeEmail({ email: wanted });
              if (result.ok) announce(t.account.emailSent(wanted));
              return result;
            }}
          >
            <EmailField label={t.account.newEmail} autoComplete="email" />
          </Form>
        </details>
      )}
    </section>
  );
}
