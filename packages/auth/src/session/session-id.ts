import type { SessionId } from '@x/store';

/** Says whether a text has the form of a session id: a UUID in lower case. */
export function isSessionId(text: unknown): text is SessionId {
  return typeof text === 'string' && uuid.test(text);
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
