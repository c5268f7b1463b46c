import { KeyRound, ListChecks, Network, Radio } from 'lucide-react';
import type { ReactElement } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { t } from '../text/text.ts';

const icons = [KeyRound, Network, ListChecks, Radio] as const;

/** Says what Tracker is, and lets visitors of a demo look around at once. */
export default function Pitch(): ReactElement {
  return (
    <aside aria-label={t.entry.about} className="pitch">
      <p className="tagline">{t.entry.tagline}</p>
      {hasFeature('seeded') && <SeededPeople />}
      <ul className="features">
        {t.entry.features.map(([title, body], index) => {
          const Icon = icons[index] ?? KeyRound;
          return (
            <li key={title}>
              <Icon aria-hidden />
              <span>
                <strong>{title}</strong> {body}
              </span>
            </li>
          );
        })}
      </ul>
      <p className="more">
        <a href="/api/docs">{t.navigation.apiDocs}</a>
        <a href="/api/openapi.json">{t.entry.openapi}</a>
      </p>
    </aside>
  );
}

/** The accounts that a new database starts with, in development. */
function SeededPeople(): ReactElement {
  return (
    <section aria-label={t.entry.seeded} className="seeded">
      {Object.entries(t.entry.people).map(([name, role]) => (
        <div key={name} className="stack tight">
          <ActionButton
            className="primary"
            send={() =>
              client.auth.signIn({ email: `${name.toLowerCase()}@tracker.example`, password: 'correct horse battery' })
            }
          >
            {t.entry.signInAs(name)}
          </ActionButton>
          <span className="hint">{role}</span>
        </div>
      ))}
    </section>
  );
}
