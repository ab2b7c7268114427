/** What a token may be allowed to do. Every protected operation needs exactly one of these. */
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

/** What a named token may do unless its row says otherwise. */
export const DEFAULT_PERMISSIONS: readonly Permission[] = PERMISSIONS.filter(
  (permission) => permission !== 'admin',
);

/** Whom images are counted for. */
export interface Account {
  /** The identity of the caller's token, kept when the token is replaced; empty for a caller without a named token. */
  readonly id: string;
  /** How many images the token may ask for in one UTC day; as many as it likes when undefined. */
  readonly imagesPerDay?: number | undefined;
}

/** Whom a request comes from. */
export interface Caller extends Account {
  /** The name of the caller's token; empty for a caller without a named token. */
  readonly name: string;
  /** The authorization scope: callers of one scope see the same resources (contract.md 11). */
  readonly scope: string;
  readonly permissions: readonly Permission[];
  /** When the token stops being valid, in Unix seconds; never when undefined. */
  readonly expiresSecs?: number | undefined;
}

/** A caller that may do everything: the one of `server.bearer_token_env`, or anyone where no token is required. */
export function unnamedCaller(scope: string): Caller {
  return { id: '', name: '', scope, permissions: PERMISSIONS };
}
