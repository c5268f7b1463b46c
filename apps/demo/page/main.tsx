import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyAppearance } from './frame/appearance.tsx';
import { followLinks } from './navigation/location.ts';
import { takeMailedToken } from './navigation/mailed-token.ts';
import { chooseLanguage } from './text/text.ts';

const root = document.querySelector('#root');
applyAppearance();
takeMailedToken();
followLinks();
void chooseLanguage().then(() => root && createRoot(root).render(<App />));
void import('./client/live.ts');
