import { rules } from '@x/access';
import { describe, expect, it } from 'vitest';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { engines, openTracker } from '../testing/tracker-app.ts';
import { definition, trackerEntities } from '../testing/tracker.ts';

/** Papers, of which a plan allows four, and which are there no longer once they are deleted. */
const papers = defineEntity({
  model: defineModel('papers', {
    fields: { projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }) },
    parent: 'projectId',
  }),
  definition,
  resource: { type: 'task' },
  access: {
    list: false,
    get: false,
    create: rules.entitlement('project:add-paper'),
    update: false,
    delete: rules.entitlement('task:delete'),
  },
  hooks: {
    before: {
      async delete({ id }, { access }) {
        await access.unconsume('project:add-paper', { type: 'task', id });
      },
    },
  },
});

describe.each(engines)('a hook on %s', (engine) => {
  it('gives back what the caller has consumed, together with the write', async () => {
    const { add, send, organizationOf } = await openTracker(engine, [...trackerEntities, papers]);
    const projectId = await add('ada', 'projects', { organizationId: await organizationOf('ada'), name: 'P' });
    const create = () => send('ada', 'POST /papers', { projectId });
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.push((await create()).body.id);
    expect((await create()).status).toBe(403);
    expect((await send('bob', `DELETE /papers/${ids[0]}`)).status).toBe(403);
    expect((await create()).status).toBe(403);
    expect((await send('ada', `DELETE /papers/${ids[0]}`)).status).toBe(204);
    expect((await create()).status).toBe(201);
    expect((await create()).body.error).toMatchObject({ code: 'FORBIDDEN', reasons: ['limit_reached'] });
  });
});
