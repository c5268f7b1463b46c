export { useList } from './use-list.ts';
