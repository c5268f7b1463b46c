export { installPacked } from './packed/install-packed.ts';
export { commandEnv, compile, root, runCommand } from './packed/run-command.ts';
