import { type Entity, toEntityTables } from '@x/entity';
import type { EntityTable } from '@x/store';
import { announcements } from './announcements.ts';
import { documents } from './documents.ts';
import { notes } from './notes.ts';
import { vault } from './vault.ts';

/** Every entity of the demo. */
export const allEntities: readonly Entity[] = [notes, documents, announcements, vault];

/** The tables that a database is opened with. */
export const entityTables: readonly EntityTable[] = toEntityTables(allEntities.map(({ model }) => model));
