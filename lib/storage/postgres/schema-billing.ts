/** Returns the step that adds ended calls. The columns have the same meaning as in the SQLite migration `BILLING`. */
export function billingSchema(schema: string): string {
  return `
CREATE TABLE ${schema}.billed_call (
  provider text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  cost bigint NOT NULL CHECK (cost >= 0),
  basis integer NOT NULL CHECK (basis BETWEEN 0 AND 3),
  unpriced bigint NOT NULL CHECK (unpriced >= 0),
  spent bigint NOT NULL CHECK (spent >= 0),
  PRIMARY KEY (provider, id)
);
CREATE INDEX billed_call_order ON ${schema}.billed_call (provider, day, id);
CREATE INDEX billed_call_age ON ${schema}.billed_call (day);
`;
}
