import type { Client } from '@x/client';
import { expectTypeOf } from 'vitest';
import type { Tracker } from '../../src/tracker.ts';

declare const client: Client<Tracker>;

const { organizations, projects, tasks } = client.entities;

expectTypeOf<keyof typeof client.entities>().toEqualTypeOf<
  'organizations' | 'projects' | 'tasks' | 'comments' | 'notes' | 'documents' | 'announcements' | 'vault'
>();

const listed = await tasks.list({ where: { priority: 'high', done: false }, include: ['project.organization'] });
if (listed.ok) {
  const task = listed.data.items[0]!;
  expectTypeOf(task.project!.organization!.slug).toEqualTypeOf<string>();
  expectTypeOf(task.dueAt).toEqualTypeOf<string | null>();
  client.access.can('task:update', task);
}

const plan = await organizations.plan.get('id');
if (plan.ok) expectTypeOf(plan.data).not.toBeAny();
void organizations.plan('id', { plan: 'pro' });
void organizations.addOns('id', { addOn: 'extra-exports', attach: true });
void organizations.setRole('id', { userId: 'id', role: 'admin' });
// @ts-expect-error There is no such role.
void organizations.setRole('id', { userId: 'id', role: 'boss' });
void projects.share('id', { email: 'ada@example.com', role: 'viewer' });
void projects.export('id');
void tasks.bulkComplete({ ids: ['id'] });

const checked = await client.services.access.check({ checks: [{ entitlement: 'project:export' }] });
if (checked.ok) expectTypeOf(checked.data.results[0]!.allowed).toEqualTypeOf<boolean>();

client.access.can('project:export');
// @ts-expect-error There is no such entitlement.
client.access.can('project:exprot');
