import { rules } from '@x/access';
import { belongsTo, defineEntity, defineModel, type Entity, field, hasMany } from '@x/entity';
import type { EntityRow } from '@x/store';
import { type allEngines, createDatabase } from './databases.ts';
import type { TestClient } from './test-client.ts';
import { createTestServer } from './test-server.ts';

/** A server with shelves that contain boxes, which any client may read and write. */
export interface Shelves {
  readonly client: TestClient;
  /** Stores a shelf past all rules. Rows are numbered in the order in which they are listed. */
  readonly addShelf: (values?: Readonly<Record<string, string | null>>) => Promise<string>;
  /** Stores a box on a shelf. */
  readonly addBox: (shelfId: string, values?: Readonly<Record<string, string>>) => Promise<string>;
}

/** Starts a server whose pages of shelves and boxes have at most so many bytes; the default is that of every entity. */
export async function createShelves(engine: (typeof allEngines)[number], maxPageBytes?: number): Promise<Shelves> {
  const entities = declareEntities(maxPageBytes);
  const { server, clock, client } = await createTestServer({
    entities,
    database: await createDatabase(engine, entities),
  });
  let count = 0;
  const add = async (entity: string, values: Readonly<Record<string, string | null>>): Promise<string> => {
    count += 1;
    const id = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
    const [createdAt, updatedAt] = [clock.now(), clock.now()];
    await server.stores.entities.create(entity, { ...values, id, createdAt, updatedAt } as EntityRow);
    return id;
  };
  return {
    client: client(),
    addShelf: (values) => add('shelves', { title: '', label: null, note: '', ...values }),
    addBox: (shelfId, values) => add('boxes', { content: '', note: '', ...values, shelfId }),
  };
}

const open = {
  list: rules.public,
  get: rules.public,
  create: rules.public,
  update: rules.public,
  delete: rules.public,
};

function declareEntities(maxPageBytes: number | undefined): readonly Entity[] {
  const size = maxPageBytes === undefined ? {} : { maxPageBytes };
  const shelves = defineEntity({
    model: defineModel('shelves', {
      fields: {
        title: field.text(),
        label: field.text({ maxLength: 5, nullable: true }),
        note: field.text({ default: '', hidden: true }),
      },
      relations: { boxes: hasMany('boxes', 'shelfId') },
    }),
    ...size,
    access: { ...open, bulk: rules.public },
  });
  const boxes = defineEntity({
    model: defineModel('boxes', {
      fields: {
        shelfId: field.uuid({ references: 'shelves' }),
        content: field.text(),
        note: field.text({ default: '', hidden: true }),
      },
      relations: { shelf: belongsTo('shelfId') },
      indexes: [['shelfId', 'id']],
    }),
    ...size,
    access: open,
  });
  return [shelves, boxes];
}
