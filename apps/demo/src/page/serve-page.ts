import type { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Env } from '../env.ts';
import { addPageRoutes } from './add-page-routes.ts';
import { readPage } from './read-page.ts';

/** Serves the page if it was built; otherwise the demo is only its API, and says so in the log. */
export async function servePage(app: Hono, { env, log }: { readonly env: Env; readonly log: Logger }): Promise<void> {
  const page = await readPage(env.pageFolder);
  if (!page) return log.warn('the page is not built, so / answers 404; npm start builds it');
  addPageRoutes(app, { ...page, html: page.html.replace(noFeatures, `name="features" content="${toFeatures(env)}"`) });
}

const noFeatures = 'name="features" content=""';

/** Tells the page which features are disabled. */
function toFeatures({ production, mfa, emailVerification, passwordReset }: Env): string {
  const features = { outbox: !production, mfa, emailVerification, passwordReset };
  return Object.entries(features)
    .filter(([, isOn]) => isOn)
    .map(([name]) => name)
    .join(' ');
}
