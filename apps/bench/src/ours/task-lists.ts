import { taskEntity, taskTables, tree } from '../rows/task-tree.ts';
import { serveOurs } from './serve-ours.ts';

// A server of tasks that are listed by the roles that people hold on them, or above them.
await serveOurs({ access: { definition: tree, orgResolver: () => null }, tables: taskTables, entities: [taskEntity] });
