// Shifts the clock of a process that loads this before its own code: node --import '<this file's URL>?seconds=30' …
const shiftMs = Number(new URL(import.meta.url).searchParams.get('seconds')) * 1000;
const machineDate = Date;
const now = () => machineDate.now() + shiftMs;

globalThis.Date = new Proxy(machineDate, {
  apply: () => new machineDate(now()).toString(),
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
