export { installPacked } from './packed/install-packed.ts';
export { commandEnv, root, runCommand } from './packed/run-command.ts';
