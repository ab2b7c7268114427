/** The credentials of one call. */
export interface Credentials {
  readonly accessToken: string;
  readonly accountId: string | undefined;
  /** The plan of the account, if the login contains it. */
  readonly planType: string | undefined;
  /**
   * Expiry of the access token, in milliseconds since the Unix epoch. Undefined if the token does not state its expiry.
   */
  readonly expiresAtMs: number | undefined;
}

/**
 * Creates credentials. The secrets are not enumerable and therefore do not appear in log lines, JSON, copies and test
 * reports.
 */
export function createCredentials({
  accessToken,
  accountId,
  planType,
  expiresAtMs,
}: Credentials): Credentials {
  // The cast is correct because `defineProperties` adds exactly the three missing members.
  return Object.defineProperties(
    { expiresAtMs },
    {
      accessToken: { value: accessToken },
      accountId: { value: accountId },
      planType: { value: planType },
    },
  ) as Credentials;
}
