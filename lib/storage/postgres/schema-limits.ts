/** Returns the tables of repeated requests and of limits that hold for all replicas. Times are Unix milliseconds of the database. */
export function limitsSchema(schema: string): string {
  return `
-- Requests that may be sent again. "scope" and "identity" are keyed hashes. "started" is true once streamed work is queued or
-- running. "clients" counts the attached clients, and "guests" counts the attached clients of replicas other than the owner.
-- "guest_left" is the time when a guest was last detached. A finished entry without "outcome" has its outcome in the memory of its owner. "until" is the time
-- when an entry expires. A running entry does not expire before the lease of its owner ends.
CREATE TABLE ${schema}.replay (
  seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" NOT NULL PRIMARY KEY,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('key', 'retry')),
  scope text COLLATE "C" NOT NULL,
  identity text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  started boolean NOT NULL DEFAULT false,
  state text COLLATE "C" NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'finished', 'owed')),
  clients integer NOT NULL CHECK (clients >= 0),
  guests integer NOT NULL DEFAULT 0 CHECK (guests >= 0),
  guest_left bigint,
  is_replied boolean NOT NULL,
  is_success boolean NOT NULL DEFAULT false,
  bytes bigint NOT NULL CHECK (bytes > 0),
  until bigint,
  outcome bytea,
  CHECK ((until IS NULL) = (state = 'running')),
  CHECK (outcome IS NULL OR state = 'finished')
);
ALTER TABLE ${schema}.replay ALTER COLUMN outcome SET STORAGE EXTERNAL;
CREATE INDEX replay_identity ON ${schema}.replay (identity);
CREATE INDEX replay_kind ON ${schema}.replay (kind, scope);
CREATE INDEX replay_expiry ON ${schema}.replay (until) WHERE until IS NOT NULL;
CREATE INDEX replay_running ON ${schema}.replay (owner) WHERE state = 'running';

-- Slots of limits. A slot without an owner is free. "holder" names the work in the slot. Rows are added when more slots
-- of a gate are used at the same time than ever before.
CREATE TABLE ${schema}.permit (
  gate text COLLATE "C" NOT NULL,
  slot integer NOT NULL CHECK (slot >= 0),
  owner text COLLATE "C",
  holder text COLLATE "C",
  PRIMARY KEY (gate, slot),
  CHECK ((owner IS NULL) = (holder IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX permit_holder ON ${schema}.permit (holder) WHERE holder IS NOT NULL;
`;
}
