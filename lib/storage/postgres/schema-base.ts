/** Returns the tables that all other tables need. Times are Unix milliseconds of the database, unless a comment says otherwise. */
export function baseSchema(schema: string): string {
  return `
-- Facts about the state, one row for each fact. Values are not compressed, so that a trial write needs its whole size.
CREATE TABLE ${schema}.meta (
  name text COLLATE "C" NOT NULL PRIMARY KEY,
  value bytea NOT NULL
);
ALTER TABLE ${schema}.meta ALTER COLUMN value SET STORAGE EXTERNAL;

-- The last transaction that was committed in each slot of a replica ("commit-markers.ts").
CREATE TABLE ${schema}.commit_marker (
  owner text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  transaction bigint NOT NULL,
  written timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner, slot)
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0.02);

-- Replicas, with the time until which each replica is known to be running. A running job, a pending artifact and an open
-- account belong to a replica. "version" is the newest schema that the program of the replica knows. "since" is the
-- beginning of the period in which the lease has always been renewed before its end.
CREATE TABLE ${schema}.replica (
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  name text NOT NULL,
  version integer NOT NULL,
  started bigint NOT NULL,
  since bigint NOT NULL,
  lease_until bigint NOT NULL
);
`;
}
