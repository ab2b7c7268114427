/** The threads that session keys are bound to. A thread belongs to one session. */
export const SESSION = `
CREATE TABLE session (
  scope TEXT NOT NULL,
  provider TEXT NOT NULL,
  key TEXT NOT NULL,
  thread TEXT NOT NULL,
  PRIMARY KEY (scope, provider, key),
  UNIQUE (provider, thread)
) STRICT, WITHOUT ROWID;
`;
