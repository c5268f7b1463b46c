import { Counter, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

it('writes what the app has in the register that it gives', async () => {
  const register = new Registry();
  new Counter({ name: 'orders_total', help: 'The orders.', registers: [register] }).inc(3);
  const { text } = await createMetrics({ register }).render({ inFlight: 2 });
  expect(text).toContain('\norders_total 3\n');
  expect(text).toContain('\nhttp_requests_in_flight 2\n');
});

it('shares nothing with other metrics of the process', async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.noteEvent('sign_up');
  expect((await other.render({ inFlight: 0 })).text).not.toContain('sign_up');
});
