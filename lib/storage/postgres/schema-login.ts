/**
 * Returns the step that adds the login that replicas share. "sealed" is encrypted. "holder" is the renewal that may use the refresh
 * token, until "held_until" in Unix milliseconds of the database. A holder after this time has ended without a result.
 */
export function loginSchema(schema: string): string {
  return `
CREATE TABLE ${schema}.login (
  provider text COLLATE "C" NOT NULL PRIMARY KEY,
  version bigint NOT NULL CHECK (version > 0),
  sealed bytea NOT NULL,
  is_refused boolean NOT NULL DEFAULT false,
  holder text COLLATE "C",
  held_until bigint,
  CHECK ((holder IS NULL) = (held_until IS NULL))
);
`;
}
