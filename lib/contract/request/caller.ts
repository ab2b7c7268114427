import type { Amount } from '../reply/cost.ts';

/** The permissions of tokens. Every protected operation requires exactly one permission. */
export const PERMISSIONS = [
  'images',
  'jobs',
  'read',
  'presets',
  'metrics',
  'diagnostics',
  'admin',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The permissions of a named token if the tokens file lists no permissions for the token. */
export const DEFAULT_PERMISSIONS: readonly Permission[] = PERMISSIONS.filter(
  (permission) => permission !== 'admin',
);

/** The account that images are charged to. */
export interface Account {
  /** The id of the caller's token, which a replacement does not change. Empty for a caller without a named token. */
  readonly id: string;
  /** The maximum number of images that the token may request per UTC day; unlimited if undefined. */
  readonly imagesPerDay?: number | undefined;
  /** The amount that the token may spend per UTC day and per UTC month; unlimited if undefined. */
  readonly budgetPerDay?: Amount | undefined;
  readonly budgetPerMonth?: Amount | undefined;
  /**
   * The amount for each image whose cost is not known in advance. If undefined, a token with a budget cannot send such requests.
   */
  readonly unknownCost?: Amount | undefined;
}

/** The sender of a request. */
export interface Caller extends Account {
  /** The name of the caller's token. Empty for a caller without a named token. */
  readonly name: string;
  /** The authorization scope. Callers with the same scope have access to the same resources. */
  readonly scope: string;
  readonly permissions: readonly Permission[];
  /** The expiry time of the token, in Unix seconds. Undefined if the token does not expire. */
  readonly expiresSecs?: number | undefined;
}

/** Returns a caller without a named token: the caller with the token of the settings, or any caller if no token is required. */
export function unnamedCaller(scope: string): Caller {
  return { id: '', name: '', scope, permissions: PERMISSIONS };
}
