export { loadDevelopmentSecret } from './keys/development-keys.ts';
