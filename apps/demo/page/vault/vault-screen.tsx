import type { SerializedRecord } from '@x/entity';
import { useQuery } from '@x/client/react';
import { Copy, Eye, EyeOff, Trash2 } from 'lucide-react';
import { type ReactElement, useEffect, useState } from 'react';
import type { vault } from '../../src/entities/vault.ts';
import { client } from '../client/client.ts';
import { secondFactor } from '../client/queries.ts';
import { ActionButton } from '../form/action-button.tsx';
import { ConfirmButton } from '../form/confirm-button.tsx';
import { Field } from '../form/field.tsx';
import { Form } from '../form/form.tsx';
import { announce } from '../screen/announce.tsx';
import { Loaded } from '../screen/loaded.tsx';
import { Screen } from '../screen/screen.tsx';
import { t } from '../text/text.ts';
import { tools } from '../text/tools.ts';
import { Countdown } from './countdown.tsx';
import { lockOtherTabs, onLockedElsewhere } from './lock-tabs.ts';

type Secret = SerializedRecord<(typeof vault)['model']>;

/** The secrets of the user, which only a recent second factor opens; nothing of them is kept once they are locked. */
export default function VaultScreen(): ReactElement {
  const factor = useQuery(secondFactor, undefined);
  const [secrets, setSecrets] = useState<readonly Secret[] | null>(null);
  return (
    <Screen title={tools.vault.title}>
      <p className="lead">{tools.vault.lead}</p>
      {secrets ? (
        <OpenVault secrets={secrets} onChange={setSecrets} />
      ) : (
        <Loaded of={factor} lines={2}>
          {({ enabled }) => (enabled ? <ClosedVault onOpen={setSecrets} /> : <NoFactor />)}
        </Loaded>
      )}
    </Screen>
  );
}

function NoFactor(): ReactElement {
  return (
    <section className="card" aria-label={tools.vault.title}>
      <p>{tools.vault.needsFactor}</p>
      <p>
        <a href="/account" className="button primary">
          {tools.vault.setUp}
        </a>
      </p>
    </section>
  );
}

function ClosedVault(props: { readonly onOpen: (secrets: readonly Secret[]) => void }): ReactElement {
  return (
    <section className="card" aria-label={tools.vault.title}>
      <p>{tools.vault.closed}</p>
      <div className="actions">
        <ActionButton className="primary" send={list} onSent={({ items }) => props.onOpen(items)}>
          {tools.vault.open}
        </ActionButton>
      </div>
    </section>
  );
}

function list() {
  return client.entities.vault.list({ orderBy: 'createdAt', limit: 100 });
}

function OpenVault(props: {
  readonly secrets: readonly Secret[];
  readonly onChange: (secrets: readonly Secret[] | null) => void;
}): ReactElement {
  const { secrets, onChange } = props;
  const lock = (): void => {
    onChange(null);
    announce(tools.vault.locked);
  };
  useEffect(() => onLockedElsewhere(lock), []);
  return (
    <section className="card" aria-label={tools.vault.title}>
      <div className="card-head">
        <Countdown onOver={lock} />
        <button
          onClick={() => {
            lockOtherTabs();
            lock();
          }}
        >
          {tools.vault.lock}
        </button>
      </div>
      <ul className="rows">
        {secrets.map((secret) => (
          <SecretRow
            key={secret.id}
            secret={secret}
            onDeleted={() => onChange(secrets.filter(({ id }) => id !== secret.id))}
          />
        ))}
        {secrets.length === 0 && <li className="hint">{tools.vault.empty}</li>}
      </ul>
      {secrets.length > 0 && <p className="hint">{tools.vault.hidesSoon}</p>}
      <Form
        label={tools.vault.putForm}
        submit={tools.vault.put}
        className="form row"
        clears
        send={({ label = '', secret = '' }) => client.entities.vault.create({ label, secret })}
        onSent={(added) => onChange([...secrets, added])}
      >
        <Field label={tools.vault.label} name="label" />
        <Field label={tools.vault.secret} name="secret" spellCheck={false} />
      </Form>
    </section>
  );
}

/** For how long a secret stays on the screen, unless its tab is left earlier. */
const shownMs = 30_000;

function SecretRow(props: { readonly secret: Secret; readonly onDeleted: () => void }): ReactElement {
  const { id, label, secret } = props.secret;
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isShown) return;
    const hide = (): void => setShown(false);
    const timer = setTimeout(hide, shownMs);
    document.addEventListener('visibilitychange', hide);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', hide);
    };
  }, [isShown]);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <li>
      <strong className="grow clamp" title={label}>
        {label}
      </strong>
      <code>{isShown ? secret : '••••••••'}</code>
      <div className="actions">
        <button
          className="quiet"
          aria-label={isShown ? tools.vault.hide(label) : tools.vault.show(label)}
          onClick={() => setShown(!isShown)}
        >
          <Icon aria-hidden />
        </button>
        <button
          className="quiet"
          aria-label={tools.vault.copyLabel(label)}
          onClick={() => void navigator.clipboard.writeText(secret).then(() => announce(t.common.copied))}
        >
          <Copy aria-hidden />
        </button>
        <ConfirmButton
          title={tools.vault.deleteLabel(label)}
          body={tools.vault.deleteBody}
          submit={t.common.delete}
          label={tools.vault.deleteLabel(label)}
          className="danger quiet"
          send={() => client.entities.vault.delete(id)}
          onSent={props.onDeleted}
        >
          <Trash2 aria-hidden />
        </ConfirmButton>
      </div>
    </li>
  );
}
