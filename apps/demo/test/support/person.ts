import { newAccount } from './accounts.ts';
import { type Answer, Browser } from './browser.ts';
import { waitForMails } from './outbox.ts';
import { totpCode } from './totp-code.ts';

/** A signed-in user, who signs in again by refreshing where their JWT is outdated, as by leaving a tenant. */
export class Person {
  readonly id: string;
  readonly email: string;
  /** The workspace that they started with. */
  readonly workspaceId: string;
  readonly browser: Browser;

  constructor(browser: Browser, user: { readonly id: string; readonly email: string; readonly tenantId: string }) {
    this.browser = browser;
    this.id = user.id;
    this.email = user.email;
    this.workspaceId = user.tenantId;
  }

  get(path: string): Promise<Answer> {
    return this.ask('GET', path);
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.ask('POST', path, body);
  }

  patch(path: string, body: unknown): Promise<Answer> {
    return this.ask('PATCH', path, body);
  }

  delete(path: string): Promise<Answer> {
    return this.ask('DELETE', path);
  }

  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.browser.send(path, { method, body });
    if (answer.status !== 401) return answer;
    const refreshed = await this.browser.post('/api/auth/refresh');
    return refreshed.status === 200 ? this.browser.send(path, { method, body }) : answer;
  }

  /** Asks for what has to succeed, and returns its body. */
  async must(method: string, path: string, body?: unknown): Promise<AnyBody> {
    const answer = await this.ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body as unknown as AnyBody;
  }

  /** Proves their address by the last of the mails that were sent there. */
  async verify(count = 1): Promise<void> {
    const [mail] = await waitForMails(this.browser.url, { kind: 'verification', to: this.email, count });
    const token = mail?.token;
    await this.must('POST', '/api/auth/verify-email', { token });
  }

  /**
   * Gives a second factor: the code of the moment, and then the next, so that a step may end in between. Returns the
   * backup codes.
   */
  async stepUp(now: Date = new Date()): Promise<readonly string[]> {
    const { secret } = await this.must('POST', '/api/auth/mfa/setup');
    const codeAt = (at: number): string => totpCode(String(secret), new Date(at));
    const { backupCodes } = await this.must('POST', '/api/auth/mfa/verify-setup', { code: codeAt(now.getTime()) });
    await this.must('POST', '/api/auth/mfa/step-up', { code: codeAt(now.getTime() + 30_000) });
    return backupCodes as readonly string[];
  }

  /** The tenant of their session. */
  async tenantId(): Promise<string | null> {
    const { currentTenantId } = await this.must('GET', '/api/auth/tenants');
    return currentTenantId as string | null;
  }
}

/** A body of any shape. */
export type AnyBody = Readonly<Record<string, unknown>> & { readonly id: string };

/** Signs a user up. */
export async function signUpPerson(
  url: string,
  account: ReturnType<typeof newAccount> = newAccount(),
): Promise<Person> {
  const browser = new Browser(url);
  const answer = await browser.post('/api/auth/signup', account);
  if (answer.status !== 201) throw new Error(answer.text);
  return new Person(browser, answer.body.user as unknown as ConstructorParameters<typeof Person>[1]);
}

/** Signs several people up. */
export function signUpPeople<const Names extends readonly string[]>(
  url: string,
  names: Names,
): Promise<{ readonly [Name in Names[number]]: Person }> {
  const people = names.map(async (name) => [name, await signUpPerson(url, newAccount(name))] as const);
  return Promise.all(people).then((entries) => Object.fromEntries(entries)) as never;
}

/** Says what came of something: its status, and the code of its error if it has one. */
export function wordOf({ status, body }: Answer): string {
  const code = (body as { readonly error?: { readonly code: string } } | undefined)?.error?.code;
  return code === undefined ? String(status) : `${status} ${code}`;
}
