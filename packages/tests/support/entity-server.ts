import type { UserId } from '@x/store';
import { sampleEntities } from './sample-entities.ts';
import type { TestResponse, TestClient } from './test-client.ts';
import { createTestServer, type TestServer, type TestServerOptions } from './test-server.ts';

/** A server with the sample entities. */
export interface EntityServer extends TestServer {
  /** Signs a user up, in a tenant and with a role if given. */
  readonly signUp: (terms?: { readonly tenantId?: string; readonly role?: string }) => Promise<EntityClient>;
}

/** A browser with the account behind it. */
export interface EntityClient {
  readonly browser: TestClient;
  readonly userId: UserId;
}

/** Starts a server with the sample entities. */
export async function createEntityServer(options: TestServerOptions = {}): Promise<EntityServer> {
  const test = await createTestServer({ entities: sampleEntities, ...options });
  return {
    ...test,
    async signUp({ tenantId, role } = {}) {
      const browser = test.client();
      const account = { email: `${crypto.randomUUID()}@example.com`, password: 'correct horse battery' };
      const userId = (await browser.post('/api/auth/signup', account)).body.user.id as UserId;
      const { users } = test.server.stores;
      if (tenantId !== undefined) await users.setTenant(userId, tenantId);
      if (role !== undefined) await users.setRole(userId, role);
      if (tenantId ?? role) await browser.post('/api/auth/signin', account);
      return { browser, userId };
    },
  };
}

/** Sends a change of one record. */
export function patch(
  browser: TestClient,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return browser.send(path, { method: 'PATCH', body, headers });
}

/** Deletes one record. */
export function remove(
  browser: TestClient,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return browser.send(path, { method: 'DELETE', headers });
}
