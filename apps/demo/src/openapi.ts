import { describeAuth } from '@x/auth';
import type { DocumentOptions } from '@x/openapi';
import { accessService } from './access/access-service.ts';
import { documentInfo } from './document-info.ts';
import { createAllEntities } from './entities/all-entities.ts';

/** The options of a document with every feature on, for the command `openapi`. */
const everything: DocumentOptions = {
  info: documentInfo,
  entities: createAllEntities({ sendInvitation: () => undefined }),
  services: [accessService],
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
