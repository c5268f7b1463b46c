export type { Confirmation, ProofRequest } from './react/use-confirmation.ts';
export type { ListState } from './react/use-list.ts';
export { useAccess } from './react/use-session.ts';
export { useConfirmation } from './react/use-confirmation.ts';
export { useList } from './react/use-list.ts';
export { useSession } from './react/use-session.ts';
