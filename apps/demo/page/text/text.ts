import { en, type Texts } from './en.ts';

/** The texts of the page, in the language of the visitor. */
export let t: Texts = en;

/** The language that dates and numbers are formatted in. */
export let language = 'en';

/** Takes the first language of the visitor that the page has. Call it before anything is shown. */
export async function chooseLanguage(): Promise<void> {
  const wanted = navigator.languages.map((each) => each.split('-')[0]);
  if (wanted.find((each) => each === 'en' || each === 'de') !== 'de') return;
  ({ de: t } = await import('./de.ts'));
  language = 'de';
  document.documentElement.lang = language;
}
