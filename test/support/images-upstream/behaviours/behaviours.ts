import type { Behaviour } from './behaviour.ts';
import { BODY_ROWS } from './body-rows.ts';
import { BROKEN_ROWS } from './broken-rows.ts';
import { IMAGE_ROWS } from './image-rows.ts';
import { STATUS_ROWS } from './status-rows.ts';
import { STREAM_ROWS } from './stream-rows.ts';
import { SUCCESS_ROWS } from './success-rows.ts';
import { URL_ROWS } from './url-rows.ts';

const ROWS = [
  ...SUCCESS_ROWS,
  ...STATUS_ROWS,
  ...BODY_ROWS,
  ...IMAGE_ROWS,
  ...URL_ROWS,
  ...STREAM_ROWS,
  ...BROKEN_ROWS,
] as const;

export type BehaviourName = (typeof ROWS)[number]['name'];

/** All behaviours of a call by name, in the order of the printed list. */
export const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map(
  ROWS.map((row) => [row.name, row]),
);

export const BEHAVIOUR_NAMES: readonly BehaviourName[] = ROWS.map(({ name }) => name);
