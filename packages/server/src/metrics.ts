import { refuseUnknownOptions } from '@x/errors';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ServerMetrics } from './http/server-metrics.ts';

/** The options of `createMetrics`. */
export interface MetricsOptions {
  /**
   * The register to add to, in which your app has metrics of its own. It may not have the default metrics of
   * `prom-client` yet. Default: a new one.
   */
  readonly register?: Registry;
}

/**
 * Creates the metrics that a server has at `GET /metrics`, for one server: the duration of its responses, the requests
 * in flight, security events, and the default metrics of `prom-client` about the process.
 *
 * @example
 * ```ts
 * const auth = { production: false, session: { strategy: 'jwt' } } as const;
 * const server = await createServer({ auth, metrics: createMetrics() });
 * ```
 */
export function createMetrics(options: MetricsOptions = {}): ServerMetrics {
  refuseUnknownOptions(options, { register: true });
  const { register = new Registry() } = options;
  const registers = [register];
  collectDefaultMetrics({ register });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'The time until the response to a request was ready.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const requestsInFlight = new Gauge({
    name: 'http_requests_in_flight',
    help: 'The requests whose response is not ready yet, those that wait included.',
    registers,
  });
  const events = new Counter({
    name: 'auth_events_total',
    help: 'The security events.',
    labelNames: ['type'],
    registers,
  });
  return {
    noteResponse: ({ seconds, ...labels }) => durations.observe(labels, seconds),
    noteEvent: (type) => events.inc({ type }),
    async render({ inFlight }) {
      requestsInFlight.set(inFlight);
      return { text: await register.metrics(), contentType: register.contentType };
    },
  };
}
