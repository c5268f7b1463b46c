import type { Hono } from 'hono';
import type { Admission } from '../admission/admission.ts';

/** The measurements of a server, as `createMetrics` of `@x/server/metrics` creates them. */
export interface ServerMetrics {
  noteResponse(response: MeasuredResponse): void;
  /** Counts a security event, such as `sign_in.failed`. */
  noteEvent(type: string): void;
  /** Writes all measurements for `GET /metrics`. */
  render(now: { readonly inFlight: number }): Promise<{ readonly text: string; readonly contentType: string }>;
}

/** The labels of a response, each of which has few values whatever clients send, and the time that it took. */
export interface MeasuredResponse {
  /** A standard method, or `other`. */
  readonly method: string;
  /** `/api/<name>` of an entity or service, the path of auth, or `other`. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** The path of the measurements, which are answered however busy the server is. */
export const metricsPath = '/metrics';

/** Adds `GET /metrics`. */
export function addMetricsRoute(app: Hono, metrics: ServerMetrics, admission: Admission): void {
  app.get(metricsPath, async (c) => {
    const { atWork, waiting } = admission.inFlight();
    const { text, contentType } = await metrics.render({ inFlight: atWork + waiting });
    return c.body(text, 200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' });
  });
}

/** Starts to measure a request; the result notes the status of its response. */
export function measureResponse(
  metrics: ServerMetrics,
  { method, route }: Pick<MeasuredResponse, 'method' | 'route'>,
): (status: number) => void {
  const startedAt = performance.now();
  return (status) => {
    const seconds = (performance.now() - startedAt) / 1000;
    metrics.noteResponse({ method: methods.has(method) ? method : 'other', route, status, seconds });
  };
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
