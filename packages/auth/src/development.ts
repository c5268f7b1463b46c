export { loadDevelopmentSecret } from './secrets/development-secret.ts';
