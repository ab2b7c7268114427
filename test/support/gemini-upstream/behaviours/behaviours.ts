import type { Behaviour } from './behaviour.ts';
import { BROKEN_ROWS } from './broken-rows.ts';
import { FAILURE_ROWS } from './failure-rows.ts';
import { IMAGE_ROWS } from './image-rows.ts';
import { REFUSAL_ROWS } from './refusal-rows.ts';

const ROWS = [...IMAGE_ROWS, ...REFUSAL_ROWS, ...FAILURE_ROWS, ...BROKEN_ROWS] as const;

export type BehaviourName = (typeof ROWS)[number]['name'];

/** All behaviours of a call by name, in the order of the printed list. */
export const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map(
  ROWS.map((row) => [row.name, row]),
);
