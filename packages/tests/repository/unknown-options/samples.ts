import { systemClock } from '@x/store';
import { accessSamples } from './samples/access.ts';
import { authSettings } from './samples/auth-settings.ts';
import { authSamples } from './samples/auth.ts';
import { clientSamples } from './samples/client.ts';
import { entitySamples } from './samples/entity.ts';
import { definition, organizationSamples } from './samples/organizations.ts';
import { rule, type Samples, stores } from './samples/sample.ts';
import { serverSamples } from './samples/server.ts';
import { storeSamples } from './samples/stores.ts';

/** The functions with options, by package. */
export const withOptions: Readonly<Record<string, Samples>> = {
  access: accessSamples,
  auth: authSamples,
  client: clientSamples,
  entity: entitySamples,
  organizations: organizationSamples,
  ...serverSamples,
  ...storeSamples,
};

/** Plain objects that are values of the library rather than options. */
export const opaque: ReadonlySet<unknown> = new Set<unknown>([definition, stores, rule, systemClock, authSettings]);
