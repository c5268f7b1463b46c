import { type ReactElement, type ReactNode, Suspense } from 'react';
import { client, hasFeature } from '../client/client.ts';
import { ActionButton } from '../form/action-button.tsx';
import { lazily } from '../frame/lazily.tsx';
import { Brand } from '../screen/screen.tsx';
import { t } from '../text/text.ts';

const Pitch = lazily(() => import('./pitch.tsx'));

/**
 * Says what Tracker is beside the form that lets people in, and lets visitors of a demo look around at once. What
 * stands above the form on a phone is there with it, so that the form does not move under a finger.
 */
export function Welcome(props: { readonly children: ReactNode }): ReactElement {
  return (
    <div className="welcome">
      <header>
        <Brand />
        <p className="tagline">{t.entry.tagline}</p>
        {hasFeature('seeded') && <SeededPeople />}
      </header>
      {props.children}
      <Suspense fallback={null}>
        <Pitch />
      </Suspense>
    </div>
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
