import type { ReactElement } from 'react';
import { client } from '../client.ts';
import { PasswordField } from '../form/field.tsx';
import { Form } from '../form/form.tsx';

/** Deletes the account and all that is its own. */
export function DeleteAccount(): ReactElement {
  return (
    <section aria-labelledby="delete" className="card">
      <h2 id="delete">Delete the account</h2>
      <p>Everything that belongs to you alone is deleted with it, and cannot be restored.</p>
      <details>
        <summary>I am sure</summary>
        <Form
          label="Delete the account"
          submit="Delete my account"
          tone="danger"
          send={({ password }) => client.auth.deleteAccount(password ? { password } : {})}
        >
          <PasswordField hint="Leave it empty if you have none." required={false} />
        </Form>
      </details>
    </section>
  );
}
