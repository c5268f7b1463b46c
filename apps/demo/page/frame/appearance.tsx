import { Monitor, Moon, Sun } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { createStoredText } from '../navigation/stored-text.ts';
import { t } from '../text/text.ts';

const appearances = ['system', 'light', 'dark'] as const;
type AppearanceName = (typeof appearances)[number];

const icons = { system: Monitor, light: Sun, dark: Moon };
const chosen = createStoredText('localStorage', 'tracker:appearance');

/** Makes the page light or dark, as was chosen before; otherwise it is as the system. */
export function applyAppearance(): void {
  document.documentElement.dataset['appearance'] = getAppearance();
}

function getAppearance(): AppearanceName {
  return appearances.find((each) => each === chosen.get()) ?? 'system';
}

/** Goes through light, dark and as the system. */
export function Appearance(): ReactElement {
  const [name, setName] = useState(getAppearance);
  const Icon = icons[name];
  const onClick = (): void => {
    const next = appearances[(appearances.indexOf(name) + 1) % appearances.length] ?? 'system';
    chosen.set(next);
    applyAppearance();
    setName(next);
  };
  const label = `${t.navigation.appearance}: ${t.navigation.appearances[name]}`;
  return (
    <button className="quiet" aria-label={label} title={label} onClick={onClick}>
      <Icon aria-hidden />
    </button>
  );
}
