/**
 * Which process a running job or a pending publication belongs to, and until when each process is known to live. Rows from
 * before have no owner: the first recovery takes them.
 */
export const OWNER = `
CREATE TABLE owner (
  id TEXT NOT NULL PRIMARY KEY,
  lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE job ADD COLUMN owner TEXT;
ALTER TABLE artifact ADD COLUMN owner TEXT;
`;
