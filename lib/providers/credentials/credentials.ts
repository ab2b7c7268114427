/** A login as a call needs it. */
export interface Credentials {
  readonly accessToken: string;
  /** The value of the header of that name. */
  authorization(): string;
  readonly accountId: string | undefined;
  /** The plan of the account, where the login names it. */
  readonly planType: string | undefined;
  /** When the access token expires, in milliseconds since the Unix epoch; undefined when it does not say. */
  readonly expiresAtMs: number | undefined;
}

/**
 * Credentials that cannot leak by accident: their secrets are not enumerable, and so not part of log lines, JSON, copies
 * and test reports.
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
    // These four are all that the type of `shown` lacks.
  }) as Credentials;
}
