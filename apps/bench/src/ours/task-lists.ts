import { taskEntity, taskTables } from '../access/task-lists.ts';
import { tree } from '../access/tree.ts';
import { serveOurs } from './serve-ours.ts';

// A server of tasks that are listed by the roles that people hold on them, or above them.
await serveOurs({ access: { definition: tree, orgResolver: () => null }, tables: taskTables, entities: [taskEntity] });
