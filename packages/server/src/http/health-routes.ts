import type { Principal } from '@x/auth';
import { type Awaitable, CodedError } from '@x/errors';
import { renderError, renderJson } from '@x/http';
import type { Stores } from '@x/store';
import type { Context, Hono } from 'hono';
import type { Admission, InFlight } from '../admission/admission.ts';

/** The dependencies of the health checks. */
interface HealthRoutesOptions {
  readonly stores: Stores;
  readonly admission: Admission;
  readonly callerOf: (c: Context) => Awaitable<Principal | null>;
}

const [up, ready] = ['/healthz', '/readyz'];

/** The paths of the health checks, which are answered however busy the server is. */
export const healthPaths: readonly string[] = [up, ready];

/** Says whether a path is that of a health check. */
export function isHealthCheck(path: string): boolean {
  return path === up || path === ready;
}

/**
 * Adds the health checks. `/readyz` fails once the server is about to stop, and shows callers with the role `admin` the
 * requests in flight.
 */
export function addHealthRoutes(app: Hono, { stores, admission, callerOf }: HealthRoutesOptions): void {
  const isReady = createReadyCheck(stores);
  app.get(up, (c) => renderJson(c, { status: 'ok' }));
  app.get(ready, async (c) => {
    const isOk = !admission.isStopping && (await isReady());
    const caller = await callerOf(c);
    const inFlight = caller?.role === 'admin' ? admission.inFlight() : undefined;
    const headers = { 'Cache-Control': 'no-store' };
    if (isOk) return renderJson(c, { status: 'ok', inFlight }, { headers });
    return renderError(c, notReady(inFlight), { headers });
  });
}

/** Pings the stores once for all checks that arrive at the same time, because the admission does not limit checks. */
function createReadyCheck(stores: Stores): () => Promise<boolean> {
  let checking: Promise<boolean> | undefined;
  const check = async (): Promise<boolean> => {
    try {
      await stores.ping();
      return true;
    } catch {
      return false;
    } finally {
      checking = undefined;
    }
  };
  return () => (checking ??= check());
}

function notReady(inFlight: InFlight | undefined): CodedError {
  const extras = { retryAfter: 1, ...(inFlight && { meta: { inFlight } }) };
  return new CodedError('SERVICE_UNAVAILABLE', 'The service is not ready.', extras);
}
