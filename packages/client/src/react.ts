export type { ListState } from './react/list-store.ts';
export { useAccess } from './react/use-access.ts';
export { useList } from './react/use-list.ts';
export { useSession } from './react/use-session.ts';
