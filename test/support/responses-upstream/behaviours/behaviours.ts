import type { Behaviour } from './behaviour.ts';
import { BROKEN_ROWS } from './broken-rows.ts';
import { ENDLESS_ROWS } from './endless-rows.ts';
import { FAILURE_ROWS } from './failure-rows.ts';
import { IMAGE_ROWS } from './image-rows.ts';
import { SILENCE_ROWS } from './silence-rows.ts';
import { STATUS_ROWS } from './status-rows.ts';
import { SUCCESS_ROWS } from './success-rows.ts';

const ROWS = [
  ...SUCCESS_ROWS,
  ...STATUS_ROWS,
  ...FAILURE_ROWS,
  ...IMAGE_ROWS,
  ...BROKEN_ROWS,
  ...SILENCE_ROWS,
  ...ENDLESS_ROWS,
] as const;

export type BehaviourName = (typeof ROWS)[number]['name'];

/** All behaviours of a call by name, in the order of the printed list. */
export const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map(
  ROWS.map((row) => [row.name, row]),
);

export const BEHAVIOUR_NAMES: readonly BehaviourName[] = ROWS.map(({ name }) => name);
