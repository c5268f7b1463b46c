import { exchangeOnce } from './connection.ts';
import { credentialsOf, readSessionCookies, type SessionCookies, signInRequest, signUpRequest } from './requests.ts';

/** Signs up so many users from a number on, of one session each; returns their cookies in order. */
export async function signUpUsers(port: number, count: number, first = 0): Promise<readonly SessionCookies[]> {
  const address = createClientAddresses(1);
  const sessions: SessionCookies[] = [];
  for (let user = 0; user < count; user += 1) {
    sessions.push(readSessionCookies(await exchangeOnce(port, signUpRequest(credentialsOf(first + user), address()))));
  }
  return sessions;
}

/** Beyond those whom the others are. */
const userOfSeveral = 1_000_000;

/** Signs one more user up, and in until there are so many sessions; returns their cookies, oldest first. */
export async function openSessions(port: number, count: number): Promise<readonly SessionCookies[]> {
  const address = createClientAddresses(1);
  const credentials = credentialsOf(userOfSeveral);
  const sessions = [readSessionCookies(await exchangeOnce(port, signUpRequest(credentials, address())))];
  while (sessions.length < count) {
    sessions.push(readSessionCookies(await exchangeOnce(port, signInRequest(credentials, address()))));
  }
  return sessions;
}

/** Returns what gives each request a client address, a new one after every so many requests. */
export function createClientAddresses(requestsPerAddress: number): () => string {
  let requests = 0;
  return () => {
    const number = Math.floor(requests / requestsPerAddress);
    requests += 1;
    return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  };
}
