import { describeAuth } from '@x/auth';
import type { DocumentOptions } from '@x/openapi';
import { accessService } from './access/access-service.ts';
import { createTrackerOrganizations } from './entities/organizations.ts';
import { createAllEntities, documentInfo } from './tracker.ts';

const organizations = createTrackerOrganizations(async () => {});

/** The options of a document with every feature on, for the command `openapi`. */
const everything: DocumentOptions = {
  info: documentInfo,
  entities: createAllEntities(organizations),
  services: [...organizations.services, accessService],
  live: true,
  auth: describeAuth({
    emailVerification: { enabled: true },
    passwordReset: { enabled: true },
    mfa: { enabled: true },
    tenant: {},
    accessSet: {},
    providers: [{ id: 'google' }, { id: 'github' }, { id: 'discord' }],
  }),
};

export default everything;
