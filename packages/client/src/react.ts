export { useSession } from './react/use-session.ts';
