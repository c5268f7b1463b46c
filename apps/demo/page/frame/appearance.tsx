import { type ReactElement, useState } from 'react';
import { createStoredText } from '../navigation/stored-text.ts';
import { t } from '../text/text.ts';

const appearances = ['system', 'light', 'dark'] as const;
type AppearanceName = (typeof appearances)[number];

const chosen = createStoredText('localStorage', 'tracker:appearance');

/** Makes the page light or dark, as was chosen before; otherwise it is as the system. */
export function applyAppearance(): void {
  document.documentElement.dataset['appearance'] = getAppearance();
}

function getAppearance(): AppearanceName {
  return appearances.find((each) => each === chosen.get()) ?? 'system';
}

/** Chooses whether the page is light, dark, or as the system. */
export function Appearance(): ReactElement {
  const [name, setName] = useState(getAppearance);
  const onChosen = (next: AppearanceName): void => {
    chosen.set(next);
    applyAppearance();
    setName(next);
  };
  return (
    <fieldset className="appearance">
      <legend className="hint">{t.navigation.appearance}</legend>
      <div className="segments">
        {appearances.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="appearance"
              className="unseen"
              checked={each === name}
              onChange={() => onChosen(each)}
            />
            {t.navigation.appearances[each]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
