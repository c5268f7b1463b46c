import { readJson, readNothing, renderJson } from '@x/http';
import type { Handler } from 'hono';
import { getMfaStatus } from '../mfa/mfa.ts';
import { replaceBackupCodes } from '../mfa/change.ts';
import { setUpMfa, verifySetup } from '../mfa/setup.ts';
import { stepUp } from '../mfa/step-up.ts';
import { renderSignedIn } from './render-signed-in.ts';
import { parseForUser } from './parse-for-user.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /mfa/setup` */
export function setUpMfaRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    await parseForUser(auth, c, () => readNothing(c, bodyLimit));
    return renderJson(c, await setUpMfa(auth, requestContext(c)));
  };
}

/** `POST /mfa/verify-setup` */
export function verifySetupRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    return renderJson(c, await verifySetup(auth, input, requestContext(c)));
  };
}

/** `POST /mfa/step-up` */
export function stepUpRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    return renderSignedIn(c, await stepUp(auth, input, requestContext(c)), 200);
  };
}

/** `POST /mfa/backup-codes` */
export function replaceBackupCodesRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    return renderJson(c, await replaceBackupCodes(auth, input, requestContext(c)));
  };
}

/** `GET /mfa/status` */
export function mfaStatusRoute({ auth, requestContext }: RouteParts): Handler {
  return async (c) => renderJson(c, await getMfaStatus(auth, requestContext(c)));
}
