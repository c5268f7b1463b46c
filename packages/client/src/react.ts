export type { Confirmation, ProofRequest } from './react/use-confirmation.ts';
export type { MissingFields } from './react/use-missing-fields.ts';
export { useAccess } from './react/use-session.ts';
export { useConfirmation } from './react/use-confirmation.ts';
export { useMissingFields } from './react/use-missing-fields.ts';
export { useQuery } from './react/use-query.ts';
export { useSession } from './react/use-session.ts';
