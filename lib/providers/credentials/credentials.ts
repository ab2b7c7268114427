/** The credentials of one call. */
export interface Credentials {
  readonly accessToken: string;
  /** Returns the value of the `Authorization` header. */
  authorization(): string;
  readonly accountId: string | undefined;
  /** The plan of the account, if the login contains it. */
  readonly planType: string | undefined;
  /** Expiry of the access token, in milliseconds since the Unix epoch. Undefined if the token does not contain it. */
  readonly expiresAtMs: number | undefined;
}

/**
 * Creates credentials. Their secrets are not enumerable and therefore do not appear in log lines, JSON, copies and test
 * reports.
 */
export function createCredentials({
  accessToken,
  accountId,
  planType,
  expiresAtMs,
}: Omit<Credentials, 'authorization'>): Credentials {
  const shown = { expiresAtMs };
  return Object.defineProperties(shown, {
    accessToken: { value: accessToken },
    authorization: { value: () => `Bearer ${accessToken}` },
    accountId: { value: accountId },
    planType: { value: planType },
    // The cast is correct because exactly these four members were missing.
  }) as Credentials;
}
