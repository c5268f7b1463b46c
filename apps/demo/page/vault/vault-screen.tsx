import type { SerializedRecord } from '@x/entity';
import { type ReactElement, useState } from 'react';
import type { vault } from '../../src/entities/vault.ts';
import { client } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { Screen } from '../screen/screen.tsx';

type Secret = SerializedRecord<(typeof vault)['model']>;

/** The secrets of the user, which only a recent second factor opens. */
export function VaultScreen(): ReactElement {
  const [secrets, setSecrets] = useState<readonly Secret[] | null>(null);
  if (!secrets) {
    return (
      <Screen title="Vault">
        <p>The vault needs a code of your second factor that is less than five minutes old.</p>
        <p>
          <ActionButton className="primary" send={list} onSent={({ items }) => setSecrets(items)}>
            Open the vault
          </ActionButton>
        </p>
      </Screen>
    );
  }
  return (
    <Screen title="Vault">
      <div className="card">
        <ul className="rows">
          {secrets.map(({ id, label, secret }) => (
            <li key={id}>
              <strong>{label}</strong>
              <code>{secret}</code>
            </li>
          ))}
          {secrets.length === 0 && <li>It is empty.</li>}
        </ul>
        <Form
          label="Put something into the vault"
          submit="Put it in"
          clears
          send={({ label = '', secret = '' }) => client.entities.vault.create({ label, secret })}
          onSent={(added) => setSecrets([...secrets, added])}
        >
          <Field label="Label" name="label" />
          <Field label="Secret" name="secret" autoComplete="off" spellCheck={false} />
        </Form>
      </div>
    </Screen>
  );
}

function list() {
  return client.entities.vault.list({ orderBy: 'createdAt', limit: 100 });
}
