import { KeyRound, ListChecks, Network, Radio } from 'lucide-react';
import type { ReactElement } from 'react';
import { t } from '../text/text.ts';

const icons = [KeyRound, Network, ListChecks, Radio] as const;

/** Says what Tracker can do, and where its API is described. */
export default function Pitch(): ReactElement {
  return (
    <aside aria-label={t.entry.about} className="pitch">
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
